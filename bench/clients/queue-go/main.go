// One work queue: keys are added, handed out and done, again and again. Prints one line of JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// queue is what both have in common.
type queue interface {
	Add(types.NamespacedName)
	Get() (types.NamespacedName, bool)
	Done(types.NamespacedName)
	Len() int
}

type report struct {
	Items   int     `json:"items"`
	Adds    int     `json:"adds"`
	Nanos   float64 `json:"nanos"`
	RSS     float64 `json:"rss"`
	Heap    float64 `json:"heap"`
	Waiting int     `json:"waiting"`
}

func main() {
	which := flag.String("queue", "client-go", "client-go or controller-runtime")
	keys := flag.Int("keys", 1000, "how many keys wait at a time")
	items := flag.Int("items", 2_000_000, "how many are handed out in all, at least")
	workers := flag.Int("workers", 0, "how many workers there are; none is a loop")
	metered := flag.Bool("metrics", true, "whether there are metrics")
	memory := flag.Bool("memory", false, "fills the queue once, and tells the memory a key takes")
	flag.Parse()

	names := make([]types.NamespacedName, *keys)
	for i := range names {
		names[i] = types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("web-%07d-abcde", i)}
	}
	// A queue without a name has no metrics.
	name := ""
	if *metered {
		name = "bench"
	}
	var q queue
	registry := newMetrics()
	switch *which {
	case "client-go":
		// Its plain queue with the metrics that Kubernetes' own components have. Those of controller-runtime, which would be used
		// otherwise because it is in the same program, are slower.
		limiter := workqueue.DefaultTypedControllerRateLimiter[types.NamespacedName]()
		config := workqueue.TypedRateLimitingQueueConfig[types.NamespacedName]{Name: name, MetricsProvider: registry}
		q = workqueue.NewTypedRateLimitingQueueWithConfig(limiter, config)
	case "controller-runtime":
		registry.gatherer = metrics.Registry
		q = priorityqueue.New[types.NamespacedName](name)
	default:
		panic("there is no queue of " + *which)
	}

	var r report
	if *memory {
		r = fill(q, names)
	} else {
		rounds := max(2, *items / *keys)
		before := cpu()
		for range rounds {
			for _, name := range names {
				q.Add(name)
			}
			drain(q, len(names), *workers)
		}
		r.Items = rounds * len(names)
		r.Nanos = (cpu() - before) / float64(r.Items) * 1e9
		r.Adds = registry.adds()
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		panic(err)
	}
}

func drain(q queue, count, workers int) {
	one := func() {
		item, shutdown := q.Get()
		if shutdown {
			panic("it is open")
		}
		q.Done(item)
	}
	if workers == 0 {
		for range count {
			one()
		}
		return
	}
	var taken atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for taken.Add(1) <= int64(count) {
				one()
			}
		})
	}
	group.Wait()
}

// fill tells how much memory the queue takes with all keys in it, without the keys.
func fill(q queue, names []types.NamespacedName) report {
	rss, heap := memory()
	for _, name := range names {
		q.Add(name)
	}
	// controller-runtime adds from another goroutine.
	for q.Len() < len(names) {
		runtime.Gosched()
	}
	full := residentSet()
	_, live := memory()
	count := float64(len(names))
	r := report{RSS: (full - rss) / count, Heap: (live - heap) / count, Waiting: q.Len()}
	runtime.KeepAlive(names)
	return r
}

func memory() (rss, heap float64) {
	// Twice: what the first collection finds to be finalised, the second frees.
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return residentSet(), float64(stats.HeapAlloc)
}

func residentSet() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			if err != nil {
				panic(err)
			}
			return kilobytes * 1024
		}
	}
	panic("there is no VmRSS")
}

// cpu is user and system time of the whole process, garbage collection included, in seconds.
func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}
