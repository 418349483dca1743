// Package meter is what the Go clients of the benchmark have in common; the Rust clients have a crate of that name.
package meter

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Phase is what a part of a run took: seconds and bytes.
type Phase struct {
	CPU  float64 `json:"cpu"`
	Wall float64 `json:"wall"`
	RSS  uint64  `json:"rss"`
	Peak uint64  `json:"peak"`
	Heap *uint64 `json:"heap"`
}

// Meter measures a part of a run.
type Meter struct {
	cpu     float64
	started time.Time
	heap    bool
}

// Start starts; heap asks for the live heap, which takes a collection at the end.
func Start(heap bool) Meter {
	// Forgets the peak of resident memory so far.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		panic(err)
	}
	return Meter{cpu: cpu(), started: time.Now(), heap: heap}
}

// Stop stops.
func (m Meter) Stop() Phase {
	p := Phase{CPU: cpu() - m.cpu, Wall: time.Since(m.started).Seconds()}
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

// Server tells the replay server what should happen.
type Server struct{ Address string }

func (s *Server) get(command string) ([]byte, error) {
	response, err := http.Get(s.Address + "/bench/" + command)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", command, response.Status)
	}
	return io.ReadAll(response.Body)
}

// Last orders events and returns the version of the last one.
func (s *Server) Last(command string) (uint64, error) {
	body, err := s.get(command)
	if err != nil {
		return 0, err
	}
	var answer struct{ Last uint64 }
	err = json.Unmarshal(body, &answer)
	return answer.Last, err
}

// Lines is an answer of words.
func (s *Server) Lines(command string) ([]string, error) {
	body, err := s.get(command)
	return strings.Fields(string(body)), err
}

// Numbers is an answer of numbers.
func (s *Server) Numbers(command string) ([]uint64, error) {
	lines, err := s.Lines(command)
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, line := range lines {
		number, err := strconv.ParseUint(line, 10, 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// Latency is how long something took, in microseconds.
type Latency struct {
	Count uint64  `json:"count"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"`
}

// LatencyOf is that of times in nanoseconds; none if there are none.
func LatencyOf(times []uint64) *Latency {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	at := func(share int) float64 { return float64(times[len(times)*share/1000]) / 1e3 }
	return &Latency{Count: uint64(len(times)), P50: at(500), P99: at(990), P999: at(999)}
}
