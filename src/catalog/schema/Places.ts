/** Where the schemas of a document stand: by pointer, `$id` and anchor. Nothing outside of the document is ever read. */
import type { Schema } from "effect"
import type { Budget } from "../../offload/Budget.ts"
import { innerSchemas, isObject, member } from "./Keywords.ts"

/** A schema with an `$id`, or the document itself: what its references and anchors are relative to. */
export interface Resource {
  readonly uri: string
  /** Schemas by the fragment of a reference to them: "", "/$defs/a", an anchor. */
  readonly places: Map<string, Schema.Json>
  /** Schemas by their `$dynamicAnchor`. */
  readonly dynamic: Map<string, Schema.JsonObject>
}

/** The address of a document without an `$id`. */
const nowhere = "schema:/"

export class Places {
  readonly root: Resource
  private readonly resources = new Map<string, Resource>()
  private readonly resourceOfSchema = new Map<Schema.Json, Resource>()

  private readonly budget: Budget

  constructor(document: Schema.JsonObject, budget: Budget) {
    this.budget = budget
    this.root = this.open(uriOf(document, nowhere) ?? nowhere)
    this.add(document, [{ resource: this.root, pointer: "" }])
  }

  /** The resource in which a schema stands. */
  resourceOf(schema: Schema.Json): Resource {
    return this.resourceOfSchema.get(schema) ?? this.root
  }

  /** What a reference of a schema of `from` leads to; undefined: nothing in this document. */
  find(reference: string, from: Resource): { readonly schema: Schema.Json; readonly resource: Resource } | undefined {
    const { fragment, uri } = splitReference(reference, from.uri)
    const resource = uri === undefined ? undefined : this.resources.get(uri)
    const schema = resource?.places.get(fragment)
    if (resource === undefined || schema === undefined) return undefined
    return { schema, resource: isObject(schema) ? this.resourceOf(schema) : resource }
  }

  /** Of the resources that were entered, outermost first, the first that has the anchor; else what `$ref` would find. */
  findDynamic(reference: string, from: Resource, entered: ReadonlyArray<Resource>) {
    const found = this.find(reference, from)
    if (found === undefined || !isObject(found.schema)) return found
    const anchor = member(found.schema, "$dynamicAnchor")
    if (typeof anchor !== "string" || splitReference(reference, from.uri).fragment !== anchor) return found
    for (const resource of entered) {
      const schema = resource.dynamic.get(anchor)
      if (schema !== undefined) return { schema, resource }
    }
    return found
  }

  private open(uri: string): Resource {
    const resource: Resource = { uri, places: new Map(), dynamic: new Map() }
    this.resources.set(uri, resource)
    return resource
  }

  /** `within`: the resources around the schema, the innermost last, each with its own pointer to the schema. */
  private add(
    schema: Schema.Json,
    within: ReadonlyArray<{ readonly resource: Resource; readonly pointer: string }>,
  ): void {
    const around = within.at(-1)?.resource ?? this.root
    const own = isObject(schema) ? uriOf(schema, around.uri) : undefined
    const opened = own === undefined || own === around.uri ? undefined : this.open(own)
    const inside = opened === undefined ? within : [...within, { resource: opened, pointer: "" }]
    for (const { pointer, resource } of inside) {
      this.budget.spend(20 + pointer.length / 8)
      resource.places.set(pointer, schema)
    }
    if (!isObject(schema)) return
    const resource = opened ?? around
    this.resourceOfSchema.set(schema, resource)
    for (const anchor of anchorsOf(schema)) resource.places.set(anchor, schema)
    const dynamic = member(schema, "$dynamicAnchor")
    if (typeof dynamic === "string") resource.dynamic.set(dynamic, schema)
    for (const { pointer: rest, schema: inner } of innerSchemas(schema)) {
      this.add(
        inner,
        inside.map(({ pointer, resource }) => ({ resource, pointer: pointer + rest })),
      )
    }
  }
}

const anchorsOf = (schema: Schema.JsonObject): ReadonlyArray<string> => {
  const id = member(schema, "$id")
  // Draft-07 wrote an anchor as an `$id` of a fragment alone.
  const older = typeof id === "string" && id.startsWith("#") ? id.slice(1) : undefined
  return [member(schema, "$anchor"), member(schema, "$dynamicAnchor"), older].filter(
    (anchor) => typeof anchor === "string" && anchor !== "",
  ) as ReadonlyArray<string>
}

/** The absolute `$id`, without a fragment. */
const uriOf = (schema: Schema.JsonObject, base: string): string | undefined => {
  const id = member(schema, "$id")
  if (typeof id !== "string" || id.startsWith("#")) return undefined
  return splitReference(id, base).uri
}

const splitReference = (reference: string, base: string) => {
  const at = reference.indexOf("#")
  const [address, fragment] = at < 0 ? [reference, ""] : [reference.slice(0, at), reference.slice(at + 1)]
  const uri = address === "" ? base : URL.canParse(address, base) ? new URL(address, base).href : undefined
  return { uri, fragment: decode(fragment) }
}

const decode = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
