/** The Helm chart in ops/helm/parley, rendered as Helm renders it, and checked against the Kubernetes API's own types. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { judge } from "../../src/catalog/schema/Judge.ts"
import { paths } from "../../src/http/OperationsHttp.ts"
import { helmChartFault, makeRenderer, type Manifest, typeFaults } from "../support/HelmChart.ts"

const chart = "ops/helm/parley"
const schema = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"))

/** Every part is on, and every value that is optional is given. */
const everything = {
  image: { digest: `sha256:${"0".repeat(64)}`, pullSecrets: ["registry"] },
  publicUrl: "https://parley.example.com",
  env: { LOG_LEVEL: "Warn" },
  autoscaling: { enabled: true },
  ingress: { enabled: true },
  networkPolicy: {
    postgres: { to: [{ ipBlock: { cidr: "10.1.2.3/32" } }] },
    egress: [{ to: [{ podSelector: { matchLabels: { app: "models" } } }] }],
  },
  nodeSelector: { pool: "voice" },
  tolerations: [{ key: "voice", operator: "Exists" }],
  podAnnotations: { "example.com/team": "voice" },
}

describe.skipIf(helmChartFault !== undefined)("the Helm chart", () => {
  let render: ReturnType<typeof makeRenderer>
  beforeAll(() => {
    render = makeRenderer()
  }, 120_000)
  const rendered = (values: object = {}): ReadonlyArray<Manifest> => {
    const { fault, manifests } = render.chart(chart, values)
    assert.strictEqual(fault, "")
    return manifests
  }
  const find = (manifests: ReadonlyArray<Manifest>, kind: string): Manifest => {
    const found = manifests.find((each) => each.kind === kind)
    assert.isDefined(found, kind)
    return found
  }

  it("is what the Kubernetes API takes, with its own values and with every part on", () => {
    const [plain, full] = [rendered(), rendered(everything)]
    assert.deepStrictEqual(
      plain.map(({ kind }) => kind),
      ["Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service"],
    )
    assert.deepStrictEqual(
      full.map(({ kind }) => kind),
      ["Deployment", "HorizontalPodAutoscaler", "Ingress", "NetworkPolicy", "PodDisruptionBudget", "Service"],
    )
    assert.strictEqual(typeFaults([...plain, ...full]), "")
    const broken = structuredClone(find(plain, "Deployment"))
    broken["spec"].template.spec.containers[0].readinessProbe.httpPath = "/readyz"
    assert.match(typeFaults([broken]), /'"httpPath"' does not exist/)
  })

  it("refuses to be rendered if a template names a value that is not there", () => {
    const copy = mkdtempSync(join(tmpdir(), "parley-chart-"))
    cpSync(chart, copy, { recursive: true })
    const file = join(copy, "templates/service.yaml")
    writeFileSync(file, readFileSync(file, "utf8").replace(".Values.service.port", ".Values.service.prot"))
    assert.match(render.chart(copy).fault, /map has no entry for key "prot"/)
  })

  it("has a schema that takes its own values and refuses what is misspelt, missing or of another type", async () => {
    const values = render.valuesOf(chart)
    assert.deepStrictEqual(await judge({ schema, value: values }), [])
    const faulty = [
      { ...values, replica: 3 },
      { ...values, existingSecret: "" },
      { ...values, replicas: "3" },
      { ...values, drain: { ...values.drain, seconds: -1 } },
      { ...values, oidc: { issuer: "http://login.example.com", audience: "parley" } },
      { ...values, image: { ...values.image, digest: "latest" } },
      { ...values, env: { "not a name": "1" } },
    ]
    for (const value of faulty) assert.isAbove((await judge({ schema, value })).length, 0, JSON.stringify(value))
  })

  it("runs without root on a read-only file system, with secrets by reference alone", () => {
    const { spec } = find(rendered(everything), "Deployment")["spec"].template
    const [container] = spec.containers
    assert.isTrue(spec.securityContext.runAsNonRoot)
    assert.isTrue(container.securityContext.readOnlyRootFilesystem)
    assert.isFalse(container.securityContext.allowPrivilegeEscalation)
    assert.deepStrictEqual(container.securityContext.capabilities, { drop: ["ALL"] })
    assert.deepStrictEqual(container.envFrom, [{ secretRef: { name: "parley" } }])
    assert.strictEqual(container.image, `registry.example.com/parley@${everything.image.digest}`)
    const settings = readFileSync("docs/settings.md", "utf8")
    for (const { name } of container.env) assert.include(settings, `| \`${name}\``)
    const named = container.env.map(({ name }: { readonly name: string }) => name)
    for (const secret of ["DATABASE_URL", "PARLEY_ENCRYPTION_KEY"]) assert.notInclude(named, secret)
  })

  it("gives a process the time to drain, and asks the paths that the process answers", () => {
    const drain = { seconds: 900, closingSeconds: 20, preStopSeconds: 7 }
    const { spec } = find(rendered({ drain }), "Deployment")["spec"].template
    const [container] = spec.containers
    assert.strictEqual(spec.terminationGracePeriodSeconds, 927)
    assert.deepInclude(container.env, { name: "DRAIN_SECONDS", value: "900" })
    assert.strictEqual(container.readinessProbe.httpGet.path, "/readyz")
    for (const probe of ["startupProbe", "livenessProbe"]) assert.strictEqual(container[probe].httpGet.path, "/healthz")
    assert.includeMembers([...paths], ["/readyz", "/healthz"])
  })

  it("adds processes by a metric that /metrics has, and leaves the count to the autoscaler", () => {
    const manifests = rendered(everything)
    const [metric] = find(manifests, "HorizontalPodAutoscaler")["spec"].metrics
    assert.include(readFileSync("src/calls/ledger/CallMetrics.ts", "utf8"), `"${metric.pods.metric.name}"`)
    assert.notProperty(find(manifests, "Deployment")["spec"], "replicas")
    assert.strictEqual(find(rendered(), "Deployment")["spec"].replicas, 3)
  })
})
