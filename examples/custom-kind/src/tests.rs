//! A test without a cluster.

use std::time::Duration;

use kube_informer::kind::KindInfo;
use kube_informer::testing::ScriptedSource;
use kube_informer::{SharedInformer, SharedInformerFactory};

use crate::informers::{ExampleComFactory, ExampleComV1};
use crate::kinds::{Widget, WidgetSpec};

/// Long enough under a paused clock for anything that happens at all.
const SOON: Duration = Duration::from_secs(3_600);

fn widget(name: &str, node_name: &str, size: u32) -> Widget {
    let mut widget = Widget::new(name, WidgetSpec { node_name: Some(node_name.into()), size });
    widget.metadata.namespace = Some("default".into());
    widget
}

#[tokio::test(start_paused = true)]
async fn widgets_are_listed_and_found_by_node() -> anyhow::Result<()> {
    let server = ScriptedSource::of::<Widget>();
    server.create(&widget("small", "node-1", 1))?;
    server.create(&widget("large", "node-2", 7))?;
    let sources = server.clone();
    let factory = SharedInformerFactory::with_sources(move |_: &KindInfo| sources.clone()).build()?;

    let widgets = factory.example_com().v1().widgets();
    let by_node = factory.example_com().v1().widgets_by_node();
    let lister = widgets.lister();
    factory.start();
    factory.wait_for_cache_sync(SOON).await?;

    assert_eq!(lister.namespace("default").get("large")?.get()?.spec.size, 7);
    assert_eq!(by_node.get("node-1")?[0].name(), "small");

    let moved = server.update(&widget("small", "node-2", 1))?;
    widgets.informer().wait_for_version(&"default/small".parse()?, &moved, SOON).await?;
    assert_eq!(factory.example_com().v1().widgets_by_node().get("node-2")?.len(), 2, "the same index");
    factory.shutdown().await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn index_keys_serve_informers_without_a_factory() -> anyhow::Result<()> {
    let server = ScriptedSource::of::<Widget>();
    server.create(&widget("large", "node-2", 7))?;
    let informer = SharedInformer::<Widget>::builder(server).build()?;
    let by_size = informer.index_by(ExampleComV1::WIDGETS_BY_SIZE);
    tokio::spawn({
        let informer = informer.clone();
        async move { informer.run(std::future::pending()).await }
    });
    informer.wait_synced(SOON).await?;
    assert_eq!(by_size.values()?, [7]);
    Ok(())
}

/// Methods of one's own on listers, in a crate that is neither the library's nor the generator's.
mod extensions {
    use kube_informer::{Lister, NamespaceLister, Object};

    use super::*;

    trait Larger {
        fn larger_than(&self, size: u32) -> Vec<String>;
    }

    impl Larger for Lister<Widget> {
        fn larger_than(&self, size: u32) -> Vec<String> {
            names_larger_than(size, &self.list())
        }
    }

    impl Larger for NamespaceLister<Widget> {
        fn larger_than(&self, size: u32) -> Vec<String> {
            names_larger_than(size, &self.list())
        }
    }

    fn names_larger_than(size: u32, widgets: &[Object<Widget>]) -> Vec<String> {
        let is_larger = |widget: &Object<Widget>| widget.get().is_ok_and(|widget| widget.spec.size > size);
        let mut names: Vec<_> =
            widgets.iter().filter(|widget| is_larger(widget)).map(ToString::to_string).collect();
        names.sort();
        names
    }

    #[tokio::test(start_paused = true)]
    async fn b_406_listers_of_generated_accessors_take_methods_of_ones_own() -> anyhow::Result<()> {
        let server = ScriptedSource::of::<Widget>();
        server.create(&widget("small", "node-1", 1))?;
        server.create(&widget("large", "node-1", 7))?;
        let mut elsewhere = widget("larger", "node-1", 8);
        elsewhere.metadata.namespace = Some("elsewhere".into());
        server.create(&elsewhere)?;
        let factory = SharedInformerFactory::with_sources(move |_: &KindInfo| server.clone()).build()?;
        let widgets = factory.example_com().v1().widgets().lister();
        factory.start();
        factory.wait_for_cache_sync(SOON).await?;

        assert_eq!(widgets.larger_than(1), ["Widget default/large", "Widget elsewhere/larger"]);
        assert_eq!(widgets.namespace("default").larger_than(1), ["Widget default/large"]);
        factory.shutdown().await;
        Ok(())
    }
}
