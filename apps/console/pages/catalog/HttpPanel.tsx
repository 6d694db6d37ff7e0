/** The request of an http tool. Secrets are never shown: a masked one keeps its stored value until it is replaced. */
import { IconPlus, IconX } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { Button as AriaButton } from "react-aria-components"
import { problemAt } from "../../data/Checks.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { isElsewhere } from "../../words/Origins.ts"
import { type Json, textOf, type ToolParts } from "./Tool.ts"
import { mask, objectOf } from "./ToolSecrets.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((id) => ({ id, word: id }))
const authentications = [
  { id: "none", word: "None" },
  { id: "bearer", word: "Bearer token" },
  { id: "basic", word: "User and password" },
  { id: "header", word: "A header" },
]
const emptyAuthentication: Record<string, Json> = {
  none: { type: "none" },
  bearer: { type: "bearer", token: "" },
  basic: { type: "basic", username: "", password: "" },
  header: { type: "header", name: "X-Api-Key", value: "" },
}

export const HttpPanel = ({ draft, mayChange, problems }: ToolParts) => {
  const config = draft.value.implementation_config
  const authentication = objectOf(config["authentication"])
  const headers = Object.entries(objectOf(config["headers"]))
  const kind = textOf(authentication["type"]) || "none"
  const storedUrl = textOf(draft.base.implementation_config["url"])
  /** The host that the secrets were given for. Undefined while the URL still has that origin. */
  const givenFor = isElsewhere(textOf(config["url"]), storedUrl) ? new URL(storedUrl).host : undefined
  const set = (part: Json) => draft.set("implementation_config", { ...config, ...part })
  const setAuthentication = (part: Json) => set({ authentication: { ...authentication, ...part } })
  const setHeaders = (next: ReadonlyArray<readonly [string, unknown]>) =>
    set({ headers: Object.fromEntries(next.map(([name, value]) => [name, textOf(value)])) })
  const problem = (field: string) => problemAt(problems, `implementation_config/${field}`)
  return (
    <Panel title="Request" aside="arguments go into the JSON body, or into the URL for GET and DELETE">
      <div className="HttpPanel">
        <div className="HttpPanel-line">
          <SelectMenu
            label="Method"
            form="field"
            choices={methods}
            chosen={textOf(config["method"]) || "POST"}
            onChoose={(method) => mayChange && set({ method })}
          />
          <Field
            label="URL"
            isMono
            value={textOf(config["url"])}
            isReadOnly={!mayChange}
            onChange={(url) => set({ url })}
            problem={problem("url")}
          />
        </div>
        <div>
          <h3 className="Catalog-label">Headers</h3>
          {headers.length === 0 && <p className="second-line">Only the headers that every request has.</p>}
          {headers.map(([name, value], at) => (
            <div key={at} className="HttpPanel-header">
              <Field
                label={<span className="unseen">Name of header {at + 1}</span>}
                isMono
                value={name}
                isReadOnly={!mayChange}
                onChange={(typed) => setHeaders(headers.with(at, [typed, value]))}
              />
              <Secret
                label={<span className="unseen">Value of {name}</span>}
                value={textOf(value)}
                givenFor={givenFor}
                mayChange={mayChange}
                onChange={(typed) => setHeaders(headers.with(at, [name, typed]))}
                problem={problem(`headers/${name}`)}
              />
              {mayChange && (
                <AriaButton
                  className="ActionMenu-button"
                  aria-label={`Remove ${name}`}
                  onPress={() => setHeaders(headers.toSpliced(at, 1))}
                >
                  <IconX aria-hidden />
                </AriaButton>
              )}
            </div>
          ))}
          {mayChange && (
            <Button
              look="quiet"
              size="row"
              icon={<IconPlus aria-hidden />}
              onPress={() => setHeaders([...headers, [`X-Header-${headers.length + 1}`, ""]])}
            >
              Add a header
            </Button>
          )}
        </div>
        <div className="HttpPanel-line">
          <SelectMenu
            label="Authentication"
            form="field"
            choices={authentications}
            chosen={kind}
            onChoose={(id) => mayChange && set({ authentication: emptyAuthentication[id] ?? { type: "none" } })}
          />
          {kind === "bearer" && (
            <Secret
              label="Token"
              value={textOf(authentication["token"])}
              givenFor={givenFor}
              mayChange={mayChange}
              onChange={(token) => setAuthentication({ token })}
              problem={problem("authentication/token")}
            />
          )}
          {kind === "basic" && (
            <>
              <Field
                label="User"
                value={textOf(authentication["username"])}
                isReadOnly={!mayChange}
                onChange={(username) => setAuthentication({ username })}
                problem={problem("authentication/username")}
              />
              <Secret
                label="Password"
                value={textOf(authentication["password"])}
                givenFor={givenFor}
                mayChange={mayChange}
                onChange={(password) => setAuthentication({ password })}
                problem={problem("authentication/password")}
              />
            </>
          )}
          {kind === "header" && (
            <>
              <Field
                label="Header"
                isMono
                value={textOf(authentication["name"])}
                isReadOnly={!mayChange}
                onChange={(name) => setAuthentication({ name })}
                problem={problem("authentication/name")}
              />
              <Secret
                label="Value"
                value={textOf(authentication["value"])}
                givenFor={givenFor}
                mayChange={mayChange}
                onChange={(value) => setAuthentication({ value })}
                problem={problem("authentication/value")}
              />
            </>
          )}
        </div>
        <Field
          label="Timeout in milliseconds"
          hint="1 to 60,000. The caller waits while it runs."
          inputMode="numeric"
          value={String(config["timeout_ms"] ?? 10_000)}
          isReadOnly={!mayChange}
          onChange={(typed) => set({ timeout_ms: Number(typed.replaceAll(/\D/g, "") || 0) })}
          problem={problem("timeout_ms")}
        />
        {textOf(config["method"]) !== "GET" && (
          <div>
            <Switch
              isOn={config["idempotent"] === true}
              isDisabled={!mayChange}
              onChange={(idempotent) => set({ idempotent })}
            >
              The server honours Idempotency-Key
            </Switch>
            <p className="second-line">
              If Parley is stopped during a request, it then sends the request again with the same key. Otherwise the
              call's record says that it is not known whether the request had taken effect.
            </p>
          </div>
        )}
        {draft.changes.implementation_config !== undefined && (
          <p className="second-line">
            This browser keeps your unsaved changes, but no secrets and no new headers. After a reload, enter those
            again.
          </p>
        )}
      </div>
    </Panel>
  )
}

interface SecretProps {
  readonly label: ReactNode
  readonly value: string
  /** The host that the stored secret was given for, if the tool no longer calls it. */
  readonly givenFor: string | undefined
  readonly mayChange: boolean
  readonly onChange: (value: string) => void
  readonly problem: string | undefined
}

const Secret = ({ givenFor, label, mayChange, onChange, problem, value }: SecretProps) =>
  value === mask && givenFor !== undefined ? (
    <Field
      label={label}
      isMono
      value=""
      isReadOnly={!mayChange}
      onChange={onChange}
      problem={`The stored secret was given for ${givenFor}. Enter the secret for the new address.`}
    />
  ) : value === mask ? (
    <div className="Field">
      <span className="Field-label">{label}</span>
      <span className="HttpPanel-secret">
        <span aria-label="A secret is stored">••••••••</span>
        {mayChange && (
          <Button size="row" onPress={() => onChange("")}>
            Replace
          </Button>
        )}
      </span>
    </div>
  ) : (
    <Field label={label} isMono value={value} isReadOnly={!mayChange} onChange={onChange} problem={problem} />
  )
