//! The page shows this program, and names the crates that it needs.

/// A block of the page in one language, from its first line on.
fn block<'p>(page: &'p str, language: &str, contains: &str) -> &'p str {
    let blocks = page.split("\n```").filter_map(|part| part.strip_prefix(language)?.split_once('\n'));
    blocks.map(|(_, body)| body).find(|body| body.contains(contains)).expect("the block")
}

fn dependencies(manifest: &str) -> Vec<&str> {
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    lines.map_while(|line| line.split_once(" = ")).map(|(name, _)| name).collect()
}

#[test]
fn getting_started_has_the_small_program_and_its_two_crates() {
    let page = include_str!("../../../../docs/getting-started.md");
    let program = include_str!("../../src/main.rs");
    let (_, program) = program.split_once("\n\n").expect("a comment, and then the program");
    assert_eq!(block(page, "rust", "on_update(|_, pod| print(pod))").trim(), program.trim());
    let shown = dependencies(block(page, "toml", "[dependencies]"));
    assert_eq!(shown, ["kube-informer", "tokio"]);
    assert_eq!(dependencies(include_str!("../../Cargo.toml")), shown);
}
