import type { Value } from "./values.ts";

/**
 * The parsed form of an expression, macros already expanded (cel-go's common/ast). `position` is an offset in UTF-16 units
 * into the source: the operator of an operation, the parenthesis of a call, the dot of a selection.
 */
interface Node {
  readonly id: number;
  readonly position: number;
  /** 1 for a leaf. The parser bounds it, so that recursion over a tree is bounded. */
  readonly depth: number;
}

export interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface IdentExpr extends Node {
  readonly kind: "ident";
  /** A leading dot asks for the root of the name space. */
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** has(operand.field) */
  readonly testOnly: boolean;
}

export interface CallExpr extends Node {
  readonly kind: "call";
  readonly function: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
  /** The accumulator of a macro, which nothing else can see: it may be extended in place. */
  readonly inPlace: boolean;
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
  /** Indices written as `?x`. */
  readonly optional: readonly number[];
}

export interface Entry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly Entry[];
}

export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly typeName: string;
  readonly fields: readonly {
    readonly name: string;
    readonly value: Expr;
    readonly optional: boolean;
    readonly position: number;
  }[];
}

export interface ComprehensionExpr extends Node {
  readonly kind: "comprehension";
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly iterRange: Expr;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly loopCondition: Expr;
  readonly loopStep: Expr;
  readonly result: Expr;
}

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;
