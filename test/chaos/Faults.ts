/** The faults of a chaos run, drawn by dice: one after another, and now and then two at once. */
import type { Cluster } from "./Cluster.ts"
import { type Database, platform } from "./Database.ts"
import type { Dice } from "./Dice.ts"
import type { Recorder } from "./History.ts"
import type { Proxy } from "./Proxy.ts"

export interface Troubles {
  readonly cluster: Cluster
  readonly database: Database
  readonly proxy: Proxy
  readonly recorder: Recorder
  readonly dice: Dice
  /** The carrier's own faults. The lab has none. */
  readonly carrier: ReadonlyArray<CarrierTrouble>
}

export interface CarrierTrouble {
  readonly kind: string
  readonly begin: () => Promise<void>
  readonly end: () => Promise<void>
}

/** Milliseconds, longer than any lease: a process that has not been seen for 15 seconds counts as gone. */
const frozenMs = { least: 17_000, most: 24_000 }

/** The most milliseconds for which faults wait until killed processes are back. */
const recoveryMs = 15_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Injects faults until `isOver`, then heals everything. */
export const run = async (troubles: Troubles, isOver: () => boolean): Promise<void> => {
  const { carrier, cluster, database, dice, proxy, recorder } = troubles
  const tell = (kind: string, detail = "") => recorder.add({ t: "fault", kind, detail, at: Date.now() })
  const lasting: Array<Promise<void>> = []
  /** Waits, but not beyond the end of the run. */
  const hold = async (milliseconds: number) => {
    const until = Date.now() + milliseconds
    while (Date.now() < until && !isOver()) await pause(50)
  }
  /** Waits a limited time until most processes are up again: a fault that hits no process tests nothing. */
  const recovered = async () => {
    const until = Date.now() + recoveryMs
    while (cluster.urls().length * 2 < cluster.size && Date.now() < until && !isOver()) await pause(50)
  }
  const someone = () => {
    const up = Array.from({ length: cluster.size }, (_, at) => at).filter(cluster.isUp)
    return up.length === 0 ? undefined : dice.pick(up)
  }

  const kill = async () => {
    const who = someone()
    if (who === undefined) return
    tell("kill", String(who))
    cluster.kill(who, "at random")
  }
  const freeze = async () => {
    const who = someone()
    if (who === undefined || cluster.urls().length < 2) return
    const forMs = dice.whole(frozenMs.least, frozenMs.most)
    tell("freeze", `${who} for ${forMs} ms`)
    cluster.freeze(who)
    lasting.push(hold(forMs).then(() => cluster.thaw(who)))
  }
  const storm = async () => {
    const gusts = dice.whole(2, 6)
    tell("terminate storm", `${gusts} gusts`)
    for (let gust = 0; gust < gusts; gust++) {
      await database
        .query(
          platform,
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'parley%' and random() < 0.6",
        )
        .catch(() => {})
      await hold(dice.whole(50, 400))
    }
  }
  const powerCut = async () => {
    tell("postgres killed")
    database.kill()
    await hold(dice.whole(200, 2_500))
    await database.start()
    proxy.aim(database.port())
    tell("postgres is back")
  }
  const drop = async () => tell("connections dropped", String(proxy.drop(dice.between(0.3, 1))))
  const refuse = async () => {
    tell("connections refused")
    proxy.refuse(true)
    proxy.drop(1)
    await hold(dice.whole(300, 4_000))
    proxy.refuse(false)
  }
  const delay = async () => {
    const by = dice.whole(20, 400)
    tell("network slow", `${by} ms each way`)
    proxy.delay(by)
    await hold(dice.whole(1_000, 5_000))
    proxy.delay(0)
  }
  const silence = async () => {
    const forMs = dice.whole(3_000, 14_000)
    tell("connections silent", `${proxy.silence(dice.between(0.2, 0.7), forMs)} for ${forMs} ms`)
  }
  const commits = async () => {
    const count = dice.whole(1, 6)
    tell("commits to be cut", String(count))
    proxy.cutCommits(count)
    await hold(1_000)
    proxy.cutCommits(0)
  }
  const ofCarrier = async () => {
    const trouble = dice.pick(carrier)
    tell(`carrier: ${trouble.kind}`)
    await trouble.begin()
    lasting.push(hold(dice.whole(1_000, 6_000)).then(trouble.end))
  }

  const faults: Array<() => Promise<void>> = [
    ...[kill, kill, kill, freeze, storm, powerCut, drop, refuse, delay, silence, commits, commits, commits],
    ...(carrier.length === 0 ? [] : [ofCarrier, ofCarrier, ofCarrier, ofCarrier]),
  ]
  // Draw each kind once before any is drawn again.
  let left: typeof faults = []
  while (!isOver()) {
    await hold(dice.whole(500, 4_000))
    await recovered()
    if (isOver()) break
    if (left.length === 0) left = faults.toSorted(() => dice.roll() - 0.5)
    await left.pop()?.()
  }
  await Promise.all(lasting)
  proxy.heal()
  for (let who = 0; who < cluster.size; who++) cluster.thaw(who)
  for (const trouble of carrier) await trouble.end()
}
