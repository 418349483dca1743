package main

import (
	"sort"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"kube-informer/bench/client-go/meter"
)

// reads is how long one kind of read takes, in nanoseconds.
type reads struct {
	Name    string  `json:"name"`
	Objects float64 `json:"objects"`
	Rate    float64 `json:"rate"`
	Mean    float64 `json:"mean"`
	Median  float64 `json:"median"`
	P99     float64 `json:"p99"`
	P999    float64 `json:"p999"`
}

func addIndexes(informer cache.SharedIndexInformer) error {
	return informer.AddIndexers(cache.Indexers{"node": func(object any) ([]string, error) {
		return []string{object.(*corev1.Pod).Spec.NodeName}, nil
	}})
}

func measureReads(informer cache.SharedIndexInformer, server *meter.Server, length time.Duration) ([]reads, error) {
	indexer := informer.GetIndexer()
	keys := indexer.ListKeys()
	namespaces := indexer.ListIndexFuncValues(cache.NamespaceIndex)
	nodes := indexer.ListIndexFuncValues("node")
	app := indexer.List()[0].(metav1.Object).GetLabels()["app"]
	selector := labels.SelectorFromSet(labels.Set{"app": app})
	count := func(objects []any, err error) int {
		if err != nil {
			panic(err)
		}
		return len(objects)
	}
	get := func(n uint64) int {
		_, exists, _ := indexer.GetByKey(keys[walk(n, len(keys))])
		if !exists {
			return 0
		}
		return 1
	}
	// Objects are decoded already, so that to decode and to view one is the same.
	read := func(n uint64, keys []string) int {
		object, _, _ := indexer.GetByKey(keys[walk(n, len(keys))])
		return isPlaced(object)
	}
	hot := func(n uint64) int { return read(n, keys[:min(1000, len(keys))]) }
	cold := func(n uint64) int { return read(n, keys) }
	everything := func(uint64) int {
		found := 0
		for _, object := range indexer.List() {
			found += isPlaced(object)
		}
		return found
	}
	all := []reads{
		timeReads("get", 1000, length, get),
		timeReads("list of a namespace", 10, length, func(n uint64) int {
			return count(indexer.ByIndex(cache.NamespaceIndex, namespaces[walk(n, len(namespaces))]))
		}),
		timeReads("selector in a namespace", 10, length, func(n uint64) int {
			found := 0
			namespace := namespaces[walk(n, len(namespaces))]
			if err := cache.ListAllByNamespace(indexer, namespace, selector, func(any) { found++ }); err != nil {
				panic(err)
			}
			return found
		}),
		timeReads("index", 10, length, func(n uint64) int {
			return count(indexer.ByIndex("node", nodes[walk(n, len(nodes))]))
		}),
		timeReads("decoded, 1,000 hot keys", 100, length, hot),
		timePacedReads("decoded, 1,000 hot keys, paced", hotReads, length, hot),
		timePacedReads("decoded, any key, paced", coldReads, length, cold),
		timePacedReads("viewed, 1,000 hot keys, paced", coldReads, length, hot),
		timePacedReads("viewed, any key, paced", coldReads, length, cold),
		timeReads("list of everything", 1, length, func(uint64) int { return len(indexer.List()) }),
		timeReads("list, then all decoded", 1, 2*length, everything),
		timeReads("list, then all viewed", 1, 2*length, everything),
	}
	all = append(all, atHand(indexer.List(), length)...)
	var over atomic.Bool
	go func() {
		for !over.Load() {
			indexer.List()
		}
	}()
	all = append(all, timeReads("get while another reads everything", 1, length, get))
	over.Store(true)
	// The list comes after a backoff of one or two seconds.
	if _, err := server.Last("expire"); err != nil {
		return nil, err
	}
	return append(all, timeReads("get during a relist", 1, 3*length, get)), nil
}

// hotReads is how many reads of hot objects there are a second, coldReads that of objects that nobody may have read before.
const (
	hotReads  = 100_000
	coldReads = 10_000
)

// atHand is what an object costs that need not be looked up: the memory that every read has to go to.
func atHand(objects []any, length time.Duration) []reads {
	hot := objects[:min(1000, len(objects))]
	return []reads{
		timeReads("at hand", 1000, length, func(n uint64) int { return isPlaced(objects[walk(n, len(objects))]) }),
		timePacedReads("at hand, 1,000 hot objects, paced", hotReads, length, func(n uint64) int {
			return isPlaced(hot[walk(n, len(hot))])
		}),
	}
}

// isPlaced reads one field of a pod; 1 if it has it.
func isPlaced(object any) int {
	if pod, ok := object.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
		return 1
	}
	return 0
}

func timeReads(name string, batch uint64, length time.Duration, read func(uint64) int) reads {
	return timed(name, batch, length, read, func(uint64) {})
}

// timePacedReads reads at a rate, and takes the time of each: looking at the clock is part of it.
func timePacedReads(name string, aSecond uint64, length time.Duration, read func(uint64) int) reads {
	started := time.Now()
	return timed(name, 1, length, read, func(number uint64) {
		due := time.Duration(number) * time.Second / time.Duration(aSecond)
		if early := due - time.Since(started); early > 0 {
			time.Sleep(max(early, time.Millisecond))
		}
	})
}

func timed(name string, batch uint64, length time.Duration, read func(uint64) int, wait func(uint64)) reads {
	var times []float64
	var number uint64
	objects := 0
	started := time.Now()
	for time.Since(started) < length || len(times) == 0 {
		wait(number)
		before := time.Now()
		for range batch {
			objects += read(number)
			number++
		}
		times = append(times, float64(time.Since(before).Nanoseconds())/float64(batch))
	}
	rate := float64(number) / time.Since(started).Seconds()
	sort.Float64s(times)
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	return reads{
		Name:    name,
		Objects: float64(objects) / float64(number),
		Rate:    rate,
		Mean:    sum / float64(len(times)),
		Median:  times[len(times)/2],
		P99:     times[(len(times)-1)*99/100],
		P999:    times[(len(times)-1)*999/1000],
	}
}

// walk meets count things in an order that looks random.
func walk(number uint64, count int) int {
	mixed := (number + 1) * 0x9e3779b97f4a7c15
	return int((mixed >> 20) % uint64(max(count, 1)))
}
