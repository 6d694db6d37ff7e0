/** Lists, at the end of `npm test`, what this machine cannot run, why, and how to install it. */
import { missing as browserMissing } from "./Chromium.ts"
import { baresipFault } from "./Baresip.ts"
import { curlFault } from "./Curl.ts"
import { debianPostgresFault } from "./DebianPostgres.ts"
import { espeakFault } from "./Espeak.ts"
import { helmChartFault } from "./HelmChart.ts"
import { nginxFault } from "./Nginx.ts"
import { pgbouncerFault } from "./Pgbouncer.ts"
import { promtoolFault } from "./Promtool.ts"
import { bubblewrapFault } from "./PythonSandbox.ts"
import { sippFault } from "./Sipp.ts"

if (browserMissing !== undefined) console.log(`Skipped: tests in a browser. ${browserMissing}.`)
if (curlFault !== undefined) {
  console.log(`Skipped: the samples of /docs for curl, because ${curlFault}. On Debian, apt-get install curl.`)
}
if (bubblewrapFault !== undefined) {
  console.log(
    `Skipped: Python tools in bubblewrap, because ${bubblewrapFault}. On Debian, apt-get install bubblewrap python3; a container has to allow user namespaces (docs/python-tools.md).`,
  )
}
if (debianPostgresFault !== undefined) {
  console.log(`Skipped: restoring a backup, because ${debianPostgresFault}. On Debian, apt-get install postgresql.`)
}
if (promtoolFault !== undefined) {
  console.log(
    `Skipped: Prometheus' own reading of metrics and alerts, because ${promtoolFault}. On Debian, it is in the package prometheus.`,
  )
}
if (sippFault !== undefined) {
  console.log(`Skipped: calls to sipp, because ${sippFault}. On Debian, apt-get install sip-tester.`)
}
if (baresipFault !== undefined) {
  console.log(`Skipped: calls to baresip, because ${baresipFault}. On Debian, apt-get install baresip-core.`)
}
if (pgbouncerFault !== undefined) {
  console.log(`Skipped: the refusal of poolers, because ${pgbouncerFault}. On Debian, apt-get install pgbouncer.`)
}
if (nginxFault !== undefined) {
  console.log(`Skipped: Parley behind nginx, because ${nginxFault}. On Debian, apt-get install nginx-light.`)
}
if (helmChartFault !== undefined) {
  console.log(
    `Skipped: the Helm chart, because ${helmChartFault}. On Debian, apt-get install golang-go golang-github-masterminds-sprig-dev golang-gopkg-yaml.v3-dev.`,
  )
}
if (espeakFault !== undefined) {
  console.log(
    `Skipped: what Silero makes of a voice, and the voice espeak, because ${espeakFault}. On Debian, apt-get install espeak-ng.`,
  )
}
