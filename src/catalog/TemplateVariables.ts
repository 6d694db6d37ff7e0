/** Which variables a template needs, and what it would say if one of them were empty. Pure. */
import {
  CaseTag,
  IfTag,
  type Template as Node,
  toValueSync,
  UnlessTag,
  Value,
  type Variable,
  type Variables,
} from "liquidjs"
import type { Schema } from "effect"
import { type Budget, isOutOfSteps } from "../offload/Budget.ts"
import { joinAfterTitles } from "../domain/SentenceParts.ts"
import { gap, withoutGaps } from "../domain/SpokenGaps.ts"
import { asData, codeOf, engine, parse, render } from "./Liquid.ts"

/**
 * A variable whose value is spoken as it is: somewhere it has no `default`, and no condition around it tests the
 * variable.
 */
export interface Needed {
  /** The variable as the template writes it, such as `campaign.name`. */
  readonly name: string
  /** The first part of the name, which names a column. */
  readonly root: string
}

interface Analysis {
  /** The first path segment of every variable in the template, needed or not. */
  readonly names: ReadonlyArray<string>
  readonly needs: ReadonlyArray<Needed>
}

const nothing: Analysis = { names: [], needs: [] }

/**
 * The maximum work of an analysis, some 70 ms: finding the position of a variable scans the template from its
 * beginning.
 */
const mostWork = 10_000_000
/** What may name a variable, or a part of its path. */
const word = /[^\s!-,./:->@[-^`{-~]+|\[/gu
const workOf = (template: string) =>
  codeOf(template).reduce((work, code) => work + template.length * (code.match(word)?.length ?? 0), 0)

/**
 * Analyses a template. A text without template syntax, such as most answers of FAQs, is spoken as written and needs no
 * variables. A huge text is not analysed.
 */
export const analyse = (template: string, budget: Budget): Analysis => {
  budget.spend(template.length / 8)
  try {
    const work = workOf(template)
    if (work > mostWork) return nothing
    budget.spend(work / 15)
    const nodes = parse(template, budget)
    const { globals } = engine.analyzeSync(nodes)
    return { names: Object.keys(globals), needs: needsOf(nodes, globals) }
  } catch (cause) {
    if (isOutOfSteps(cause)) throw cause
    return nothing
  }
}

const needsOf = (nodes: ReadonlyArray<Node>, globals: Variables): ReadonlyArray<Needed> => {
  const excused = new Set<string>()
  excuse(nodes, new Set(), excused)
  const needs = new Map<string, Needed>()
  for (const [root, uses] of Object.entries(globals)) {
    for (const use of uses) if (!excused.has(placeOf(use))) needs.set(String(use), { name: String(use), root })
  }
  return [...needs.values()]
}

const placeOf = ({ location }: Variable) => `${location.row}:${location.col}`

/**
 * Collects in `excused` the places where a variable may be empty. `asked` has the variables that the conditions around
 * these nodes test.
 */
const excuse = (nodes: ReadonlyArray<Node>, asked: ReadonlySet<string>, excused: Set<string>): void => {
  for (const node of nodes) {
    const tests = isCondition(node)
    const uses = tests || asked.size > 0 ? usesOf(node, node.arguments?.() ?? []) : []
    for (const use of uses) if (tests || asked.has(String(use))) excused.add(placeOf(use))
    if (hasDefault(node)) for (const use of usesOf(node, node.value.initial.postfix)) excused.add(placeOf(use))
    const inside: ReadonlyArray<Node> = node.children === undefined ? [] : toValueSync(node.children(false, true))
    if (inside.length > 0) excuse(inside, tests ? new Set([...asked, ...uses.map(String)]) : asked, excused)
  }
}

const isCondition = (node: Node) => node instanceof IfTag || node instanceof UnlessTag || node instanceof CaseTag

const hasDefault = (node: Node): node is Node & { readonly value: Value } =>
  "value" in node && node.value instanceof Value && node.value.filters.some(({ name }) => name === "default")

type Arguments = ReturnType<NonNullable<Node["arguments"]>>

/** The variables in the given parts of a node, without those of nested nodes. */
const usesOf = (node: Node, parts: Arguments | Node["token"][]): ReadonlyArray<Variable> => {
  const alone = { token: node.token, render: node.render, arguments: () => parts as Arguments }
  return Object.values(engine.analyzeSync([alone]).variables).flat()
}

/** Marks the missing value; no template contains this character. */
const hole = "\u{F0000}"
const longestSentence = 500

/** A missing variable of a template, and the values of the others. */
export interface Missing {
  readonly template: string
  readonly needed: Needed
  readonly variables: Schema.JsonObject
  /** Whether the text is the first message, in which the gap is closed. Other texts keep it. */
  readonly isSpokenFirst: boolean
}

/**
 * The first sentence in which the variable's value would occur, rendered without it; null if no sentence contains it
 * directly.
 */
export const sentenceWithout = (
  { isSpokenFirst, needed: { name, root }, template, variables }: Missing,
  budget: Budget,
): string | null => {
  const path = name.startsWith(`${root}.`) ? name.slice(root.length + 1).split(".") : []
  const marked = path.reduceRight<Schema.Json>((inner, key) => ({ [key]: inner }), hole)
  const scope = { ...(asData(variables, budget) as Schema.JsonObject), [root]: marked }
  const text = fillIn(template, scope, budget)
  budget.spend(text.length)
  const sentence = sentencesOf(text).find((each) => each.includes(hole))
  const closed = isSpokenFirst
    ? sentence && withoutGaps(sentence.replaceAll(hole, gap))
    : sentence?.replaceAll(hole, "")
  return closed?.trim().slice(0, longestSentence) ?? null
}

/** The filled-in text; empty if it cannot be filled in. */
const fillIn = (template: string, scope: object, budget: Budget): string => {
  try {
    return render(parse(template, budget), scope, performance.now(), budget)
  } catch (cause) {
    if (isOutOfSteps(cause)) throw cause
    return ""
  }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" })
const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => joinAfterTitles(Array.from(segmenter.segment(line), ({ segment }) => segment)))
