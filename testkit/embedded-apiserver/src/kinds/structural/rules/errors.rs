//! Errors that other items make up for.
//!
//! In CEL `exists` is true if it is so for one item, whatever errors others bring, and `all` is false likewise. The evaluator stops
//! at the first error. So a rule that fails is evaluated once more with each `exists` and `all` made of three: if it comes to the
//! same with errors of items taken for true and for false, that is the result, and otherwise there is the error.

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, operators};

/// How many `all` and `exists` within one another are rewritten. Each becomes four times as long with all that is in it.
const DEEPEST: usize = 3;

/// The expression with errors of items ignored where they do not matter; `None` if there are none to ignore.
pub(super) fn tolerant(expression: &IdedExpr) -> Option<IdedExpr> {
    if depth(expression) > DEEPEST {
        return None;
    }
    let mut found = false;
    let rewritten = rewritten(expression, &mut found);
    found.then_some(rewritten)
}

/// How many `all` and `exists` there are within one another.
fn depth(expression: &IdedExpr) -> usize {
    match &expression.expr {
        Expr::Call(call) => {
            call.target.as_deref().into_iter().chain(&call.args).map(depth).max().unwrap_or(0)
        }
        Expr::Select(select) => depth(&select.operand),
        Expr::List(list) => list.elements.iter().map(depth).max().unwrap_or(0),
        Expr::Comprehension(of) => {
            let is_boolean = matches!(of.accu_init.expr, Expr::Literal(LiteralValue::Boolean(_)));
            depth(&of.iter_range).max(depth(&of.loop_step) + usize::from(is_boolean))
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Map(_) | Expr::Struct(_) => 0,
    }
}

fn rewritten(expression: &IdedExpr, found: &mut bool) -> IdedExpr {
    let mut expression = expression.clone();
    match &mut expression.expr {
        Expr::Call(call) => {
            for inner in call.target.as_deref_mut().into_iter().chain(&mut call.args) {
                *inner = rewritten(inner, found);
            }
        }
        Expr::Select(select) => *select.operand = rewritten(&select.operand, found),
        Expr::List(list) => {
            for item in &mut list.elements {
                *item = rewritten(item, found);
            }
        }
        Expr::Comprehension(of) => {
            of.iter_range = rewritten(&of.iter_range, found);
            of.loop_step = rewritten(&of.loop_step, found);
            if matches!(of.accu_init.expr, Expr::Literal(LiteralValue::Boolean(_))) {
                *found = true;
                let one = decided(of, true);
                let other = decided(of, false);
                let is_same = call(operators::EQUALS, vec![one.clone(), other]);
                return call(operators::CONDITIONAL, vec![is_same, one, expression]);
            }
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Map(_) | Expr::Struct(_) => {}
    }
    expression
}

/// `all` or `exists` with errors of items taken for a value.
fn decided(of: &ComprehensionExpr, errors_are: bool) -> IdedExpr {
    let mut of = of.clone();
    if let Expr::Call(step) = &mut of.loop_step.expr
        && let [_, condition] = &mut step.args[..]
    {
        let not = |condition| call(operators::LOGICAL_NOT, vec![condition]);
        // Of an error this is true.
        let lenient = |condition| call(operators::NOT_STRICTLY_FALSE, vec![condition]);
        *condition =
            if errors_are { lenient(condition.clone()) } else { not(lenient(not(condition.clone()))) };
    }
    IdedExpr { id: 0, expr: Expr::Comprehension(Box::new(of)) }
}

fn call(name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    IdedExpr { id: 0, expr: Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args }) }
}
