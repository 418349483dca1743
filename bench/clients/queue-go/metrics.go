package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
)

// metricsOf is client-go's metrics as Kubernetes' components register them: same names, same buckets.
type metricsOf struct {
	registry *prometheus.Registry
	gatherer prometheus.Gatherer
}

func newMetrics() *metricsOf {
	registry := prometheus.NewRegistry()
	return &metricsOf{registry: registry, gatherer: registry}
}

// adds is what the metrics say, so that it is certain that there are any.
func (m *metricsOf) adds() int {
	families, err := m.gatherer.Gather()
	if err != nil {
		panic(err)
	}
	for _, family := range families {
		if family.GetName() == "workqueue_adds_total" {
			return int(family.GetMetric()[0].GetCounter().GetValue())
		}
	}
	return 0
}

func (m *metricsOf) gauge(key, name string) prometheus.Gauge {
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Subsystem: "workqueue", Name: key}, []string{"name"})
	m.registry.MustRegister(gauge)
	return gauge.WithLabelValues(name)
}

func (m *metricsOf) counter(key, name string) prometheus.Counter {
	counter := prometheus.NewCounterVec(prometheus.CounterOpts{Subsystem: "workqueue", Name: key}, []string{"name"})
	m.registry.MustRegister(counter)
	return counter.WithLabelValues(name)
}

func (m *metricsOf) histogram(key, name string) prometheus.Observer {
	options := prometheus.HistogramOpts{
		Subsystem: "workqueue", Name: key, Buckets: prometheus.ExponentialBuckets(10e-9, 10, 10),
	}
	histogram := prometheus.NewHistogramVec(options, []string{"name"})
	m.registry.MustRegister(histogram)
	return histogram.WithLabelValues(name)
}

func (m *metricsOf) NewDepthMetric(name string) workqueue.GaugeMetric { return m.gauge("depth", name) }

func (m *metricsOf) NewAddsMetric(name string) workqueue.CounterMetric {
	return m.counter("adds_total", name)
}

func (m *metricsOf) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return m.histogram("queue_duration_seconds", name)
}

func (m *metricsOf) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return m.histogram("work_duration_seconds", name)
}

func (m *metricsOf) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return m.gauge("unfinished_work_seconds", name)
}

func (m *metricsOf) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return m.gauge("longest_running_processor_seconds", name)
}

func (m *metricsOf) NewRetriesMetric(name string) workqueue.CounterMetric {
	return m.counter("retries_total", name)
}
