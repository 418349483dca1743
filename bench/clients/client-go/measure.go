package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// phase is what a part of a run took: seconds and bytes.
type phase struct {
	CPU  float64 `json:"cpu"`
	Wall float64 `json:"wall"`
	RSS  uint64  `json:"rss"`
	Peak uint64  `json:"peak"`
	Heap *uint64 `json:"heap"`
}

type meter struct {
	cpu     float64
	started time.Time
	heap    bool
}

func start(o options) meter {
	// Forgets the peak of resident memory so far.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		panic(err)
	}
	return meter{cpu: cpu(), started: time.Now(), heap: o.heap}
}

func (m meter) stop() phase {
	p := phase{CPU: cpu() - m.cpu, Wall: time.Since(m.started).Seconds()}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		name, value, _ := strings.Cut(line, ":")
		kilobytes, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			p.RSS = kilobytes * 1024
		case "VmHWM":
			p.Peak = kilobytes * 1024
		}
	}
	if m.heap {
		// Twice: what the first collection finds to be finalised, the second frees.
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		p.Heap = &stats.HeapAlloc
	}
	return p
}

func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// server tells the replay server what should happen.
type server struct{ address string }

func (s *server) get(command string) ([]byte, error) {
	response, err := http.Get(s.address + "/bench/" + command)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", command, response.Status)
	}
	return io.ReadAll(response.Body)
}

func (s *server) last(command string) (uint64, error) {
	body, err := s.get(command)
	if err != nil {
		return 0, err
	}
	var answer struct{ Last uint64 }
	err = json.Unmarshal(body, &answer)
	return answer.Last, err
}

func (s *server) events(o options) (uint64, error) {
	return s.last(fmt.Sprintf("events?count=%d&hot=%d&rate=%d", o.events, o.hot, o.rate))
}

func (s *server) expire() (uint64, error) { return s.last("expire") }

func (s *server) sent() ([]uint64, error) {
	body, err := s.get("sent")
	if err != nil {
		return nil, err
	}
	var times []uint64
	for _, line := range bytes.Fields(body) {
		at, err := strconv.ParseUint(string(line), 10, 64)
		if err != nil {
			return nil, err
		}
		times = append(times, at)
	}
	return times, nil
}

func asText(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(text)
}
