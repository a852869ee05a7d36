import type { Expr } from "./ast.ts";
import { ParseError } from "./errors.ts";
import type { ExprFactory } from "./expr-factory.ts";

/** The variable that macros accumulate in: no source text can name it. */
export const accumulator = "@result";
const unused = "#unused";

export interface Macro {
  readonly function: string;
  readonly member: boolean;
  readonly args: number;
  /** Undefined leaves the call as it is. */
  expand(make: ExprFactory, target: Expr | undefined, args: readonly Expr[]): Expr | undefined;
}

function variable(expr: Expr | undefined, message = "argument must be a simple name"): string {
  if (expr?.kind !== "ident" || expr.name.startsWith(".")) throw new ParseError(expr?.position ?? 0, message);
  return expr.name;
}

interface Fold {
  readonly vars: readonly [string] | readonly [string, string];
  readonly range: Expr;
  readonly init: Expr;
  readonly condition?: Expr;
  readonly step: Expr;
  readonly result?: Expr;
}

function fold(make: ExprFactory, parts: Fold): Expr {
  return make.comprehension({
    iterVar: parts.vars[0],
    iterVar2: parts.vars[1],
    iterRange: parts.range,
    accuVar: accumulator,
    accuInit: parts.init,
    loopCondition: parts.condition ?? make.literal(true),
    loopStep: parts.step,
    result: parts.result ?? make.ident(accumulator),
  });
}

type Vars = readonly [string] | readonly [string, string];

function iterationVars(args: readonly Expr[], count: 1 | 2): Vars {
  const first = variable(args[0]);
  const vars: Vars = count === 1 ? [first] : [first, variable(args[1])];
  for (const [index, name] of vars.entries()) {
    if (name === accumulator)
      throw new ParseError(args[index]?.position ?? 0, "iteration variable overwrites accumulator variable");
  }
  if (vars.length === 2 && vars[0] === vars[1]) {
    throw new ParseError(args[1]?.position ?? 0, `duplicate variable name: ${vars[0]}`);
  }
  return vars;
}

function all(make: ExprFactory, range: Expr, vars: Vars, predicate: Expr): Expr {
  return fold(make, {
    vars,
    range,
    init: make.literal(true),
    condition: make.call("@not_strictly_false", make.ident(accumulator)),
    step: make.call("_&&_", make.ident(accumulator), predicate),
  });
}

function exists(make: ExprFactory, range: Expr, vars: Vars, predicate: Expr): Expr {
  return fold(make, {
    vars,
    range,
    init: make.literal(false),
    condition: make.call("@not_strictly_false", make.call("!_", make.ident(accumulator))),
    step: make.call("_||_", make.ident(accumulator), predicate),
  });
}

function existsOne(make: ExprFactory, range: Expr, vars: Vars, predicate: Expr): Expr {
  return fold(make, {
    vars,
    range,
    init: make.literal(0n),
    step: make.call(
      "_?_:_",
      predicate,
      make.call("_+_", make.ident(accumulator), make.literal(1n)),
      make.ident(accumulator),
    ),
    result: make.call("_==_", make.ident(accumulator), make.literal(1n)),
  });
}

function transformList(make: ExprFactory, range: Expr, vars: Vars, filter: Expr | undefined, element: Expr): Expr {
  const append = make.callInPlace("_+_", make.ident(accumulator), make.list([element]));
  return fold(make, { vars, range, init: make.list([]), step: conditional(make, filter, append) });
}

function conditional(make: ExprFactory, filter: Expr | undefined, step: Expr): Expr {
  return filter === undefined ? step : make.call("_?_:_", filter, step, make.ident(accumulator));
}

function transformMap(make: ExprFactory, range: Expr, vars: Vars, filter: Expr | undefined, value: Expr): Expr {
  const insert = make.callInPlace("cel.@mapInsert", make.ident(accumulator), make.ident(vars[0]), value);
  return fold(make, { vars, range, init: make.map([]), step: conditional(make, filter, insert) });
}

function transformMapEntry(make: ExprFactory, range: Expr, vars: Vars, filter: Expr | undefined, entry: Expr): Expr {
  const insert = make.callInPlace("cel.@mapInsert", make.ident(accumulator), entry);
  return fold(make, { vars, range, init: make.map([]), step: conditional(make, filter, insert) });
}

type Quantifier = (make: ExprFactory, range: Expr, vars: Vars, predicate: Expr) => Expr;

function quantifier(name: string, count: 1 | 2, build: Quantifier): Macro {
  return {
    function: name,
    member: true,
    args: count + 1,
    expand: (make, target, args) => build(make, target as Expr, iterationVars(args, count), args[count] as Expr),
  };
}

function has(make: ExprFactory, _target: Expr | undefined, args: readonly Expr[]): Expr {
  const [operand] = args;
  if (operand?.kind !== "select" || operand.testOnly) {
    throw new ParseError(operand?.position ?? make.position, "invalid argument to has() macro");
  }
  return make.select(operand.operand, operand.field, true);
}

const mapMacro = (make: ExprFactory, target: Expr | undefined, args: readonly Expr[]): Expr =>
  transformList(
    make,
    target as Expr,
    iterationVars(args, 1),
    args.length === 3 ? args[1] : undefined,
    args.at(-1) as Expr,
  );

/** cel-go parser/macro.go. */
export const standardMacros: readonly Macro[] = [
  { function: "has", member: false, args: 1, expand: has },
  quantifier("all", 1, all),
  quantifier("exists", 1, exists),
  quantifier("exists_one", 1, existsOne),
  quantifier("existsOne", 1, existsOne),
  { function: "map", member: true, args: 2, expand: mapMacro },
  { function: "map", member: true, args: 3, expand: mapMacro },
  {
    function: "filter",
    member: true,
    args: 2,
    expand: (make, target, args) => {
      const vars = iterationVars(args, 1);
      return transformList(make, target as Expr, vars, args[1], make.ident(vars[0]));
    },
  },
];

type Transform = (make: ExprFactory, range: Expr, vars: Vars, filter: Expr | undefined, value: Expr) => Expr;

function transform(name: string, build: Transform): Macro[] {
  return [3, 4].map((args) => ({
    function: name,
    member: true,
    args,
    expand: (make, target, given) =>
      build(make, target as Expr, iterationVars(given, 2), args === 4 ? given[2] : undefined, given.at(-1) as Expr),
  }));
}

/** cel-go ext/comprehensions.go. */
export const twoVariableMacros: readonly Macro[] = [
  quantifier("all", 2, all),
  quantifier("exists", 2, exists),
  quantifier("exists_one", 2, existsOne),
  quantifier("existsOne", 2, existsOne),
  ...transform("transformList", transformList),
  ...transform("transformMap", transformMap),
  ...transform("transformMapEntry", transformMapEntry),
];

/** One evaluation of `init` under a name: a fold over nothing. */
function bind(make: ExprFactory, name: string, init: Expr, result: Expr): Expr {
  return make.comprehension({
    iterVar: unused,
    iterVar2: undefined,
    iterRange: make.list([]),
    accuVar: name,
    accuInit: init,
    loopCondition: make.literal(false),
    loopStep: make.ident(name),
    result,
  });
}

function optional(name: string, flat: boolean): Macro {
  return {
    function: name,
    member: true,
    args: 2,
    expand: (make, target, args) => {
      const bound = variable(args[0], `${name}() variable name must be a simple identifier`);
      const mapped = args[1] as Expr;
      // The target is evaluated once, under a name that no source text can use.
      const held = "@target";
      const result = bind(make, bound, make.member(make.ident(held), "value"), mapped);
      return bind(
        make,
        held,
        target as Expr,
        make.call(
          "_?_:_",
          make.member(make.ident(held), "hasValue"),
          flat ? result : make.call("optional.of", result),
          make.call("optional.none"),
        ),
      );
    },
  };
}

/** cel-go cel/library.go. */
export const optionalMacros: readonly Macro[] = [optional("optMap", false), optional("optFlatMap", true)];

/** cel-go ext/bindings.go. */
export const bindingMacros: readonly Macro[] = [
  {
    function: "bind",
    member: true,
    args: 3,
    expand: (make, target, args) => {
      if (target?.kind !== "ident" || target.name !== "cel") return undefined;
      const name = variable(args[0], "cel.bind() variable names must be simple identifiers");
      return bind(make, name, args[1] as Expr, args[2] as Expr);
    },
  },
];

/** cel-go ext/lists.go: `list.sortBy(x, key)`. */
export const listsMacros: readonly Macro[] = [
  {
    function: "sortBy",
    member: true,
    args: 2,
    expand: (make, target, args) => {
      const input = "@__sortBy_input__";
      const keys = mapMacro(make, make.ident(input), args);
      return bind(make, input, target as Expr, make.member(make.ident(input), "@sortByAssociatedKeys", keys));
    },
  },
];
