// client-go's shared informer as a client of the benchmark: the same options, phases and report as the Rust clients.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"kube-informer/bench/client-go/meter"
)

const (
	deadline = 900 * time.Second
	look     = 2 * time.Millisecond
)

// options are what the command line says; see the Rust clients for what they mean.
type options struct {
	server, commands, ca                   string
	kind, mode, list, work                 string
	handlers, informers                    int
	events, hot, rate                      uint64
	stuck, relist, latency, heap, compares bool
	reads                                  time.Duration
}

// report is printed as one line of JSON.
type report struct {
	Objects    uint64         `json:"objects"`
	VersionSum uint64         `json:"version_sum"`
	Sync       meter.Phase    `json:"sync"`
	Events     *meter.Phase   `json:"events"`
	Relist     *meter.Phase   `json:"relist"`
	Calls      uint64         `json:"calls"`
	Latency    *meter.Latency `json:"latency"`
	// To the call of the last of the handlers.
	LatencyLast *meter.Latency `json:"latency_last"`
	Reads       []reads        `json:"reads"`
}

func main() {
	o := options{}
	flag.StringVar(&o.server, "server", "", "the replay server")
	flag.StringVar(&o.commands, "commands", "", "where it takes commands, if not there")
	flag.StringVar(&o.ca, "ca", "", "a file with the certificate to trust")
	flag.StringVar(&o.kind, "kind", "pods", "the plural of the kind")
	flag.StringVar(&o.mode, "mode", "protobuf", "protobuf or json, with -stripped to drop managedFields")
	flag.StringVar(&o.list, "list", "stream", "stream or list")
	flag.StringVar(&o.work, "work", "none", "none, view or get: the object is decoded already, so all cost the same")
	flag.IntVar(&o.handlers, "handlers", 1, "how many handlers")
	flag.IntVar(&o.informers, "informers", 1, "how many informers, one a namespace")
	flag.Uint64Var(&o.events, "events", 0, "how many events")
	flag.Uint64Var(&o.hot, "hot", 0, "among how many objects")
	flag.Uint64Var(&o.rate, "rate", 0, "how many a second")
	flag.BoolVar(&o.stuck, "stuck", false, "one more handler never returns from its first event")
	flag.BoolVar(&o.relist, "relist", false, "the watch expires in the end")
	flag.BoolVar(&o.latency, "latency", false, "measure latencies")
	flag.Func("reads", "measure reads, each kind for so many milliseconds", func(value string) error {
		milliseconds, err := strconv.ParseUint(value, 10, 32)
		o.reads = time.Duration(milliseconds) * time.Millisecond
		return err
	})
	flag.BoolVar(&o.heap, "heap", false, "measure the live heap, which takes a collection after each phase")
	flag.BoolVar(&o.compares, "compare", false, "only check that the server's protobuf says what its JSON says")
	flag.Parse()
	do := run
	if o.compares {
		do = compare
	}
	if err := do(o); err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		os.Exit(1)
	}
}

// progress is what one handler has heard.
type progress struct {
	calls, newest atomic.Uint64
	stamping      atomic.Bool
	mutex         sync.Mutex
	stamps        []stamp
}

type stamp struct{ version, at uint64 }

func (p *progress) heard(version uint64) {
	p.calls.Add(1)
	// One handler is called by one goroutine.
	if version > p.newest.Load() {
		p.newest.Store(version)
	}
	if p.stamping.Load() {
		at := uint64(time.Now().UnixNano())
		p.mutex.Lock()
		p.stamps = append(p.stamps, stamp{version, at})
		p.mutex.Unlock()
	}
}

func versionOf(object any) uint64 {
	version, err := strconv.ParseUint(object.(metav1.Object).GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return version
}

var sink atomic.Uint64

func handler(o options, p *progress) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { p.heard(0) },
		UpdateFunc: func(_, object any) {
			if pod, ok := object.(*corev1.Pod); ok && o.work != "none" {
				sink.Store(uint64(len(pod.Status.Phase)))
			}
			p.heard(versionOf(object))
		},
	}
}

func run(o options) error {
	server := &meter.Server{Address: cmp.Or(o.commands, o.server)}
	informers, err := build(o)
	if err != nil {
		return err
	}
	var isStuck atomic.Bool
	never := make(chan struct{})
	var synced []cache.InformerSynced
	handlers := make([][]*progress, o.handlers)
	for _, informer := range informers {
		if o.stuck {
			wait := func() {
				if isStuck.Load() {
					<-never
				}
			}
			stuck := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { wait() }, UpdateFunc: func(_, _ any) { wait() }}
			if _, err := informer.AddEventHandler(stuck); err != nil {
				return err
			}
		}
		for number := range o.handlers {
			p := &progress{}
			handlers[number] = append(handlers[number], p)
			registration, err := informer.AddEventHandler(handler(o, p))
			if err != nil {
				return err
			}
			synced = append(synced, registration.HasSynced)
		}
	}
	if o.reads > 0 {
		if err := addIndexes(informers[0]); err != nil {
			return err
		}
	}
	all := func(do func(*progress)) {
		for _, handler := range handlers {
			for _, p := range handler {
				do(p)
			}
		}
	}
	calls := func() uint64 {
		var sum uint64
		all(func(p *progress) { sum += p.calls.Load() })
		return sum
	}
	until := func(version, told uint64, m meter.Meter) (*meter.Phase, error) {
		for started := time.Now(); ; time.Sleep(look) {
			done := calls() >= told
			for _, handler := range handlers {
				var newest uint64
				for _, p := range handler {
					newest = max(newest, p.newest.Load())
				}
				done = done && newest >= version
			}
			if done {
				phase := m.Stop()
				return &phase, nil
			}
			if time.Since(started) > deadline {
				return nil, fmt.Errorf("version %d was not heard of", version)
			}
		}
	}

	var r report
	m := meter.Start(o.heap)
	stop := make(chan struct{})
	for _, informer := range informers {
		go informer.Run(stop)
	}
	for started := time.Now(); ; time.Sleep(look) {
		done := true
		for _, has := range synced {
			done = done && has()
		}
		if done {
			break
		}
		if time.Since(started) > deadline {
			return fmt.Errorf("not synced")
		}
	}
	r.Sync = m.Stop()
	before := calls()

	if o.events > 0 {
		isStuck.Store(true)
		if o.latency {
			all(func(p *progress) { p.stamps = make([]stamp, 0, o.events); p.stamping.Store(true) })
		}
		m := meter.Start(o.heap)
		last, err := server.Last(fmt.Sprintf("events?count=%d&hot=%d&rate=%d", o.events, o.hot, o.rate))
		if err != nil {
			return err
		}
		if o.reads > 0 {
			if r.Reads, err = measureReads(informers[0], server, o.reads); err != nil {
				return err
			}
		}
		// With several informers only one hears of the last event, but there is one call for each.
		var told uint64
		if o.informers > 1 {
			told = before + o.events*uint64(o.handlers)
		}
		if r.Events, err = until(last, told, m); err != nil {
			return err
		}
		r.Calls = calls() - before
		if o.latency {
			sent, err := server.Numbers("sent")
			if err != nil {
				return err
			}
			r.Latency, r.LatencyLast = latencies(handlers, sent, last)
		}
	}
	if o.relist {
		m := meter.Start(o.heap)
		last, err := server.Last("expire")
		if err != nil {
			return err
		}
		if r.Relist, err = until(last, 0, m); err != nil {
			return err
		}
	}
	for _, informer := range informers {
		for _, object := range informer.GetStore().List() {
			r.Objects++
			r.VersionSum += versionOf(object)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// latencies are from the server's write to the handler's call: of all calls, and of the last call for each version.
func latencies(handlers [][]*progress, sent []uint64, last uint64) (*meter.Latency, *meter.Latency) {
	first := last + 1 - uint64(len(sent))
	var times []uint64
	longest := make(map[uint64]uint64, len(sent))
	for _, handler := range handlers {
		for _, p := range handler {
			p.stamping.Store(false)
			for _, s := range p.stamps {
				if s.version >= first && s.version <= last {
					at := sent[s.version-first]
					time := max(s.at, at) - at
					times = append(times, time)
					longest[s.version] = max(longest[s.version], time)
				}
			}
		}
	}
	return meter.LatencyOf(times), meter.LatencyOf(slices.Collect(maps.Values(longest)))
}
