/** The tool as the model sees it, written as a signature. */
import { Fragment } from "react"
import { argumentsOf, choicesOf, type Json, textOf } from "./Tool.ts"

export const Signature = ({ name, schema }: { readonly name: string; readonly schema: Json }) => {
  const all = argumentsOf(schema)
  return (
    <p className="Signature">
      {name}(
      {all.map((argument, at) => (
        <Fragment key={argument.name}>
          {at > 0 && ", "}
          {argument.name}
          {argument.isRequired ? "" : "?"}:{" "}
          {choicesOf(argument).length > 0
            ? choicesOf(argument).map((choice, place) => (
                <Fragment key={choice}>
                  {place > 0 && " | "}
                  <span className="JsonText-string">{JSON.stringify(choice)}</span>
                </Fragment>
              ))
            : textOf(argument.schema["format"]) || textOf(argument.schema["type"]) || "any"}
        </Fragment>
      ))}
      )
    </p>
  )
}
