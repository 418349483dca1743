//! Writes Rust code in the format of rustfmt.

/// The settings of rustfmt that decide how the text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// `max_width`.
    pub max_width: usize,
    /// `fn_call_width`: longer arguments go on a line each.
    pub call_width: usize,
}

impl Style {
    /// The style of rustfmt with this `max_width` and no other settings.
    pub fn of_width(max_width: usize) -> Self {
        // 60, and in proportion above a width of 100, in steps of a tenth.
        let tenths = (max_width.max(100) + 5) / 10;
        Self { max_width, call_width: 6 * tenths }
    }
}

impl Default for Style {
    /// The style of rustfmt without a configuration.
    fn default() -> Self {
        Self::of_width(100)
    }
}

/// The head of a function: `name(parameters) -> Generic<arguments>`, or without a result if that is empty.
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) parameters: &'a [&'a str],
    pub(crate) result: (&'a str, &'a [&'a str]),
}

/// Text being written, one line after the other.
pub(crate) struct Code {
    text: String,
    depth: usize,
    style: Style,
}

impl Code {
    pub(crate) fn new(style: Style) -> Self {
        Self { text: String::new(), depth: 0, style }
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// An empty line between two items; none at the beginning of a block or of the file.
    pub(crate) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("{\n") && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// `head { … }`, its contents one step further in.
    pub(crate) fn block(&mut self, head: &str, contents: impl FnOnce(&mut Self)) {
        self.line(format!("{head} {{").trim_start());
        self.depth += 1;
        contents(self);
        self.depth -= 1;
        self.line("}");
    }

    /// Nested blocks, one for each head; without heads only the contents.
    pub(crate) fn blocks(&mut self, heads: &[String], contents: impl FnOnce(&mut Self)) {
        match heads {
            [] => contents(self),
            [head, inner @ ..] => self.block(head, |code| code.blocks(inner, contents)),
        }
    }

    /// A function with a body.
    pub(crate) fn function(&mut self, head: &Function<'_>, body: &[String]) {
        let head = self.signature(head, " {");
        self.block(&head, |code| body.iter().for_each(|line| code.line(line)));
    }

    /// A function of a trait, without a body.
    pub(crate) fn declaration(&mut self, head: &Function<'_>) {
        let head = self.signature(head, ";");
        self.line(&format!("{head};"));
    }

    /// Writes all but the last line of a function's head, and returns the last one without `end`.
    fn signature(&mut self, Function { name, parameters, result }: &Function<'_>, end: &str) -> String {
        let (generic, arguments) = result;
        let result = match *generic {
            "" => String::new(),
            generic => format!(" -> {generic}<{}>", arguments.join(", ")),
        };
        let head = format!("{name}({}){result}", parameters.join(", "));
        if self.fits(&format!("{head}{end}")) {
            return head;
        }
        self.line(&format!("{name}("));
        self.list(parameters.iter().copied());
        if self.fits(&format!("){result}{end}")) {
            return format!("){result}");
        }
        if self.fits(&format!("){result}")) {
            // The line is too long only because of the brace.
            self.line(&format!("){result}"));
            return String::new();
        }
        self.line(&format!(") -> {generic}<"));
        self.list(arguments.iter().copied());
        ">".to_owned()
    }

    /// `pub struct Name<'a>(field);`
    pub(crate) fn tuple_struct(&mut self, name: &str, field: &str) {
        let line = format!("pub struct {name}({field});");
        if self.fits(&line) {
            return self.line(&line);
        }
        self.line(&format!("pub struct {name}("));
        self.list([field]);
        self.line(");");
    }

    /// `pub const NAME: Generic<parameters> = function(arguments);`
    pub(crate) fn constant(&mut self, name: &str, of: (&str, &[&str]), value: (&str, &[String])) {
        let (generic, parameters) = of;
        let start = format!("pub const {name}: {generic}<{}> =", parameters.join(", "));
        if self.fits(&start) {
            return self.call(&format!("{start} "), value.0, value.1);
        }
        self.line(&format!("pub const {name}: {generic}<"));
        self.list(parameters.iter().copied());
        self.call("> = ", value.0, value.1);
    }

    /// `start` and a call, as one statement or item: `start function(arguments);`.
    ///
    /// If they do not fit on one line, an assignment is broken after its `=`.
    pub(crate) fn call(&mut self, start: &str, function: &str, arguments: &[String]) {
        let listed = arguments.join(", ");
        let call = format!("{function}({listed});");
        let is_short = listed.chars().count() <= self.style.call_width;
        if is_short && self.fits(&format!("{start}{call}")) {
            return self.line(&format!("{start}{call}"));
        }
        // After the `=` if that saves lines, or if there is no room for even the opening parenthesis.
        let is_assignment = start.ends_with("= ") && !start.starts_with('>');
        if is_assignment && (is_short || !self.fits(&format!("{start}{function}("))) {
            self.line(start.trim_end());
            self.depth += 1;
            self.call("", function, arguments);
            self.depth -= 1;
            return;
        }
        self.line(&format!("{start}{function}("));
        self.list(arguments.iter().map(String::as_str));
        self.line(");");
    }

    /// One entry a line, one step further in.
    fn list<'t>(&mut self, entries: impl IntoIterator<Item = &'t str>) {
        self.depth += 1;
        for entry in entries {
            self.line(&format!("{entry},"));
        }
        self.depth -= 1;
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn fits(&self, line: &str) -> bool {
        self.depth * 4 + line.chars().count() <= self.style.max_width
    }
}
