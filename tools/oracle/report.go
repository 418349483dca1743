package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// printer prints one JSON document a line, whole, whoever else prints.
type printer struct {
	mutex sync.Mutex
	to    *bufio.Writer
}

func (p *printer) print(documents ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	encoder := json.NewEncoder(p.to)
	for _, document := range documents {
		if err := encoder.Encode(document); err != nil {
			panic(fmt.Sprintf("cannot print: %v", err))
		}
	}
	if err := p.to.Flush(); err != nil {
		panic(fmt.Sprintf("cannot print: %v", err))
	}
}

// call is one call of the handler.
type call struct {
	Call            string `json:"call"`
	Key             string `json:"key"`
	UID             string `json:"uid"`
	RV              string `json:"rv"`
	OldRV           string `json:"oldRv,omitempty"`
	Initial         bool   `json:"initial,omitempty"`
	FinalStateKnown bool   `json:"finalStateKnown,omitempty"`
}

func about(name string, object *unstructured.Unstructured) call {
	return call{
		Call: name,
		Key:  cache.MetaObjectToName(object).String(),
		UID:  string(object.GetUID()),
		RV:   object.GetResourceVersion(),
	}
}

func handler(out *printer) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			added := about("add", object.(*unstructured.Unstructured))
			added.Initial = initial
			out.print(added)
		},
		UpdateFunc: func(before, after any) {
			updated := about("update", after.(*unstructured.Unstructured))
			updated.OldRV = before.(*unstructured.Unstructured).GetResourceVersion()
			out.print(updated)
		},
		DeleteFunc: func(object any) {
			// A delete that was missed comes as a tombstone, whose object may be missing.
			tombstone, missed := object.(cache.DeletedFinalStateUnknown)
			if missed {
				object = tombstone.Obj
			}
			deleted := call{Call: "delete", Key: tombstone.Key}
			if last, ok := object.(*unstructured.Unstructured); ok {
				deleted = about("delete", last)
			}
			deleted.FinalStateKnown = !missed
			out.print(deleted)
		},
	}
}

// dump prints the stores. The objects are copied first: those in a store must not be changed.
func dump(informers []cache.SharedIndexInformer, out *printer) {
	var documents []any
	var versions []string
	for _, informer := range informers {
		for _, object := range informer.GetStore().List() {
			copied := object.(*unstructured.Unstructured).DeepCopy()
			copied.SetManagedFields(nil)
			documents = append(documents, copied.Object)
		}
		versions = append(versions, informer.LastSyncResourceVersion())
	}
	end := map[string]any{"dumped": len(documents), "storeRv": strings.Join(versions, ",")}
	out.print(append(documents, end)...)
}

// counter counts the requests that are sent, the lists among them that are answered, and how often the server said that
// a version is too old.
type counter struct {
	next                              http.RoundTripper
	requests, lists, watches, expired atomic.Int64
}

func (c *counter) wrap(next http.RoundTripper) http.RoundTripper {
	c.next = next
	return c
}

func (c *counter) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	watch, streamedList := query.Get("watch") == "true", query.Get("sendInitialEvents") == "true"
	c.requests.Add(1)
	if watch {
		c.watches.Add(1)
	}
	response, err := c.next.RoundTrip(request)
	// A streamed list that the server rejects is followed by a plain one.
	if err == nil && response.StatusCode == http.StatusOK && (!watch || streamedList) {
		c.lists.Add(1)
	}
	if err == nil {
		// It says so by the status of the answer or by an event within it; both have the same object as their body.
		response.Body = &expiredCounter{ReadCloser: response.Body, count: &c.expired}
	}
	return response, err
}

func (c *counter) stats() map[string]any {
	return map[string]any{
		"requests": c.requests.Load(),
		"lists":    c.lists.Load(),
		"watches":  c.watches.Load(),
		"expired":  c.expired.Load(),
	}
}

// goneCode is what every Status object has that says 410.
var goneCode = []byte(`"code":410`)

// expiredCounter counts the objects that say 410 in a body while it is read.
type expiredCounter struct {
	io.ReadCloser
	count *atomic.Int64
	// tail is the end of what was read, which may hold the beginning of one.
	tail []byte
}

func (e *expiredCounter) Read(into []byte) (int, error) {
	n, err := e.ReadCloser.Read(into)
	read := append(e.tail, into[:n]...)
	e.count.Add(int64(bytes.Count(read, goneCode)))
	e.tail = bytes.Clone(read[max(0, len(read)-len(goneCode)+1):])
	return n, err
}
