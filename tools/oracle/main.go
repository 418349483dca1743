// The oracle runs client-go shared informers and says what they hear, as JSON lines on standard output:
//
//	{"call":"add","key":"default/a","uid":"…","rv":"12","initial":true}
//	{"call":"update","key":"default/a","uid":"…","rv":"13","oldRv":"12"}
//	{"call":"delete","key":"default/a","uid":"…","rv":"14","finalStateKnown":true}
//	{"synced":true}
//
// Commands come on standard input, one a line:
//
//	dump    prints the store, one object a line and without managedFields, then {"dumped":1,"storeRv":"14"}
//	stats   prints {"requests":3,"lists":1,"watches":2,"expired":0}; lists are those that were answered, streamed
//	        or not, expired is how often the server said 410
//
// It ends when standard input does, so it cannot outlive who started it.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	kubeconfig string
	resource   schema.GroupVersionResource
	namespaces []string
	selector   string
}

func parseOptions() (options, error) {
	var o options
	var resource string
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "how to reach the cluster")
	flag.StringVar(&resource, "resource", "", "what to watch: group/version/plural, such as /v1/pods")
	flag.StringVar(&o.selector, "selector", "", "only objects whose labels match")
	flag.Func("namespace", "only this namespace; repeat it for several, leave it out for all", func(namespace string) error {
		o.namespaces = append(o.namespaces, namespace)
		return nil
	})
	flag.Parse()
	parts := strings.Split(resource, "/")
	if len(parts) != 3 || o.kubeconfig == "" {
		return o, errors.New("--kubeconfig and --resource group/version/plural are needed")
	}
	o.resource = schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}
	if len(o.namespaces) == 0 {
		o.namespaces = []string{metav1.NamespaceAll}
	}
	return o, nil
}

func run() error {
	o, err := parseOptions()
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return err
	}
	// No limit of our own: what client-go's informers do is to be seen, not what a rate limiter makes of it.
	config.QPS = -1
	counter := &counter{}
	config.Wrap(counter.wrap)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &printer{to: bufio.NewWriter(os.Stdout)}
	informers, err := start(ctx, client, o, out)
	if err != nil {
		return err
	}

	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		switch command := commands.Text(); command {
		case "dump":
			dump(informers, out)
		case "stats":
			out.print(counter.stats())
		default:
			return fmt.Errorf("unknown command %q", command)
		}
	}
	return commands.Err()
}

// start runs one informer per namespace; client-go has none for several.
func start(ctx context.Context, client dynamic.Interface, o options, out *printer) ([]cache.SharedIndexInformer, error) {
	tweak := func(list *metav1.ListOptions) { list.LabelSelector = o.selector }
	var informers []cache.SharedIndexInformer
	var synced []cache.InformerSynced
	for _, namespace := range o.namespaces {
		informer := dynamicinformer.NewFilteredDynamicInformer(client, o.resource, namespace, 0, nil, tweak).Informer()
		registration, err := informer.AddEventHandler(handler(out))
		if err != nil {
			return nil, err
		}
		go informer.RunWithContext(ctx)
		informers = append(informers, informer)
		synced = append(synced, registration.HasSynced)
	}
	go func() {
		// The registration's word: what was there at first has been told, not only stored.
		if cache.WaitForCacheSync(ctx.Done(), synced...) {
			out.print(map[string]any{"synced": true})
		}
	}()
	return informers, nil
}
