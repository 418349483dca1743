package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"kube-informer/bench/client-go/meter"
)

const (
	quiet    = 500 * time.Millisecond
	look     = 20 * time.Millisecond
	patience = 900 * time.Second
)

// counts is how often it reconciled until every object had been reconciled with all that it owns, and for the events.
type counts struct {
	Sync   uint64 `json:"sync"`
	Events uint64 `json:"events"`
}

// reconciles are the runs so far.
type reconciles struct {
	objects, owned uint64
	mutex          sync.Mutex
	runs           uint64
	last           time.Time
	newest         uint64
	// The objects that were reconciled with all that they own.
	whole map[uint64]struct{}
	// Once events come.
	isStamping bool
	stamps     []stamp
}

// stamp is a run that saw a version.
type stamp struct{ object, version, at uint64 }

func newReconciles(o options) *reconciles {
	return &reconciles{objects: o.objects, owned: o.owned, whole: map[uint64]struct{}{}}
}

func now() uint64 { return uint64(time.Now().UnixNano()) }

func (r *reconciles) note(begun uint64, uid string, owned, version uint64) {
	object := number(uid)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.runs++
	r.last = time.Now()
	r.newest = max(r.newest, version)
	if r.isStamping {
		r.stamps = append(r.stamps, stamp{object, version, begun})
	} else if owned == r.owned {
		r.whole[object] = struct{}{}
	}
}

// measure waits for the first runs, then has the objects change and waits for those runs.
func (r *reconciles) measure(o options, server *meter.Server, m meter.Meter, ended <-chan error) (*report, error) {
	result := &report{}
	var err error
	if result.Sync, err = r.quiet(m, ended, func() bool { return uint64(len(r.whole)) == r.objects }); err != nil {
		return nil, err
	}
	r.mutex.Lock()
	result.Reconciles.Sync = r.runs
	r.isStamping, r.stamps, r.newest = true, make([]stamp, 0, o.events), 0
	r.mutex.Unlock()
	m = meter.Start(o.heap)
	kind := "&kind=" + o.changes
	last, err := server.Last(fmt.Sprintf("events?count=%d&hot=%d&rate=%d%s", o.events, o.hot, o.rate, kind))
	if err != nil {
		return nil, err
	}
	if result.Events, err = r.quiet(m, ended, func() bool { return r.newest >= last }); err != nil {
		return nil, err
	}
	sent, err := server.Numbers("sent?" + kind)
	if err != nil {
		return nil, err
	}
	uids, err := server.Lines("owners?" + kind)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	result.Reconciles.Events = r.runs - result.Reconciles.Sync
	result.Calls = result.Reconciles.Events
	result.Latency, err = r.latency(sent, uids, last)
	return result, err
}

// quiet waits until something is so, and nothing is reconciled any more. The wall time does not contain the latter.
func (r *reconciles) quiet(m meter.Meter, ended <-chan error, isOver func() bool) (meter.Phase, error) {
	for started := time.Now(); time.Since(started) < patience; {
		select {
		case err := <-ended:
			return meter.Phase{}, fmt.Errorf("the manager has ended: %w", err)
		case <-time.After(look):
		}
		r.mutex.Lock()
		last, over := r.last, isOver()
		r.mutex.Unlock()
		if over && time.Since(last) >= quiet {
			phase := m.Stop()
			phase.Wall -= time.Since(last).Seconds()
			return phase, nil
		}
	}
	return meter.Phase{}, fmt.Errorf("not everything was reconciled: %d runs", r.runs)
}

// latency is from each write to the start of the first run that saw it or what came after it.
func (r *reconciles) latency(sent []uint64, uids []string, last uint64) (*meter.Latency, error) {
	runs := map[uint64][]stamp{}
	for _, s := range r.stamps {
		runs[s.object] = append(runs[s.object], s)
	}
	for _, runs := range runs {
		slices.SortStableFunc(runs, func(a, b stamp) int { return cmp.Compare(a.version, b.version) })
	}
	var times []uint64
	for i, at := range sent {
		version := last + 1 - uint64(len(sent)) + uint64(i)
		runs := runs[number(uids[i])]
		first, _ := slices.BinarySearchFunc(runs, version, func(s stamp, v uint64) int { return cmp.Compare(s.version, v) })
		if first == len(runs) {
			return nil, fmt.Errorf("nothing was reconciled after version %d", version)
		}
		times = append(times, max(runs[first].at, at)-at)
	}
	return meter.LatencyOf(times), nil
}

// number is a uid, short: 64 of its bits.
func number(uid string) uint64 {
	high, err := strconv.ParseUint(uid[:8], 16, 64)
	if err != nil {
		panic(err)
	}
	low, err := strconv.ParseUint(uid[24:32], 16, 64)
	if err != nil {
		panic(err)
	}
	return high<<32 | low
}
