import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import mongoose from 'mongoose'
import { watchPulse } from '../../support/pulse.ts'
import { check } from '../checker/check.ts'
import { files } from '../evidence/evidence.ts'
import { type PlannedFault, runFaults } from '../nemesis/faults.ts'
import { type OperationName, startTraffic, type Traffic } from '../traffic/traffic.ts'
import { type Notes, openNotes } from './notes.ts'
import { openStage, type Servers, type Stage, settings } from './stage.ts'

export interface RoundOptions {
  seed: number
  build: string
  servers: Servers
  trafficSeconds: number
  perSecond: number
  often: readonly OperationName[]
  plan: readonly PlannedFault[]
  maxLateMs: number
  quietSeconds: number
  folder: string
}

export type RoundResult = Awaited<ReturnType<typeof runRound>>

export async function runRound(options: RoundOptions) {
  const { folder, plan } = options
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, files.log), { recursive: true })
  const notes = openNotes(folder, options.seed)
  const busy = { what: 'machine.busy', target: 'machine' }
  const stopWatching = watchPulse((span) => notes.fault({ ...span, ...busy }, null))
  const stage = await notes.attempt('the start', () => openStage(options, notes))
  if (stage !== null) {
    await notes.attempt('the traffic', () => play(options, stage, notes))
    await notes.attempt('the end', stage.stop)
  }
  stopWatching()
  await notes.close()
  const verdict = await check(folder)
  writeFileSync(join(folder, files.violations), JSON.stringify(verdict.violations, null, 2))
  return { ...verdict, faults: notes.faults, planned: plan, done: notes.done }
}

async function play(options: RoundOptions, stage: Stage, notes: Notes): Promise<void> {
  const { plan, maxLateMs } = options
  const traffic = await startTraffic({ ...options, ...stage, clockAheadMs: stage.controls.aheadMs })
  try {
    notes.setting({ beganAt: Date.now(), ...traffic.provisioned })
    await notes.attempt('the faults', () =>
      Promise.all([runFaults(stage, plan, maxLateMs, notes.fault), pause(options.trafficSeconds * 1000)]),
    )
    await notes.attempt('the healing', async () => {
      for (const one of stage.processes.values()) await one.start()
    })
    notes.setting({ healedAt: Date.now() })
    await notes.attempt('an operation of the traffic', traffic.settle)
    await comeToRest(options, stage, traffic, notes)
  } finally {
    await traffic.close()
  }
}

/** Before the clock jumps. A hold that the wallet may still execute lasts at least two minutes. */
const walletSeconds = 8
const heldMs = 5 * 60_000
const countedMs = 6 * 60_000
const dayMs = 86_400_000

async function comeToRest(options: RoundOptions, stage: Stage, traffic: Traffic, notes: Notes) {
  const client = new mongoose.mongo.MongoClient(stage.servers.mongodbUrl, { readConcernLevel: 'majority' })
  const db = client.db()
  try {
    await notes.attempt('the wait for quiet', async () => {
      const isQuiet = await becomeQuiet(options, stage, db, notes)
      // An intent stays for 25 hours after the last request that changed it, so another night removes the rest.
      if (!isQuiet || stage.controls.aheadMs() < settings.sandboxRetentionDays * dayMs) return
      jump(stage, 2 * dayMs, notes)
      await becomeQuiet(options, stage, db, notes)
    })
    jump(stage, countedMs, notes)
    await notes.attempt('the audit', traffic.audit)
    await notes.attempt('the end of the processes', () =>
      Promise.all([...stage.processes.values()].map((one) => one.end('SIGTERM'))),
    )
    await notes.attempt('the dump', () => dump(db, options.folder))
  } finally {
    await client.close()
  }
}

async function becomeQuiet({ quietSeconds }: RoundOptions, stage: Stage, db: mongo.Db, notes: Notes) {
  const deadline = Date.now() + quietSeconds * 1000
  for (let jumpAt = Date.now() + walletSeconds * 1000; ; await pause(500)) {
    const left = await openWork(db, new Date(Date.now() + stage.controls.aheadMs()))
    const quietAt = left.length === 0 ? Date.now() : null
    notes.setting({ quietAt, left: left.map(({ message }) => message) })
    if (quietAt !== null || Date.now() > deadline) return quietAt !== null
    if (Date.now() < jumpAt) continue
    if (left.some(({ isHeld }) => isHeld)) jump(stage, heldMs, notes)
    jumpAt = Date.now() + walletSeconds * 1000
  }
}

const has = (field: string) => ({ [field]: { $exists: true } })

async function openWork(db: mongo.Db, now: Date): Promise<{ message: string; isHeld: boolean }[]> {
  const active = await db.collection('businesses').distinct('_id', { apiEnabled: true, suspended: false })
  // A provider may have forgotten an older order, so a person decides (docs/operators/wallet-provider.md).
  const forgotten = new Date(now.getTime() - 29 * dayMs)
  // No retry waits longer, so a later delivery is throttled.
  const soon = new Date(now.getTime() + 10_000)
  const today = new Date(now).setUTCHours(2, 30, 0, 0)
  const lastNight = new Date(today <= now.getTime() ? today : today - dayMs)
  const isFailing = {
    slot: { $type: 'number' },
    active: true,
    businessId: { $in: active.map(String) },
    'reportedFailure.since': null,
    'health.failingSince': { $type: 'date', $lte: new Date(now.getTime() - dayMs) },
    'health.failuresInRow': { $gte: 2 },
  }
  const open: [collection: string, filter: object, isHeld?: boolean][] = [
    ['intents', has('outbox.0')],
    ['intents', { 'hold.validUntil': { $gt: forgotten } }, true],
    ['intents', { refunds: { $elemMatch: { status: 'PENDING', validUntil: { $gt: forgotten } } } }, true],
    ['intents', { status: 'PENDING', 'hold.validUntil': { $not: { $lte: forgotten } } }],
    ['orders', has('outbox.0')],
    ['webhookendpoints', has('outbox.0')],
    ['webhookendpoints', isFailing],
    ['deliveries', { nextAttemptAt: { $ne: null, $lte: soon } }],
    ['deliveries', { nextAttemptAt: { $gt: soon } }, true],
    ['deliveries', { leaseToken: { $ne: null } }],
    ['requeueplans', has('deliveries.0')],
    ['webhookreplays', { running: true }],
    ['retention', { token: { $ne: null } }],
    ['retention', { completedFor: { $lt: lastNight } }],
  ]
  const counts = await Promise.all(
    open.map(async ([collection, filter, isHeld = false]) => {
      const count = await db.collection(collection).countDocuments(filter)
      const message = `${count} of ${collection} with ${JSON.stringify(filter)}`
      return count === 0 ? [] : [{ message, isHeld }]
    }),
  )
  return counts.flat()
}

function jump({ controls }: Stage, ms: number, notes: Notes): void {
  const began = Date.now()
  controls.jump(ms)
  notes.fault({ began, ended: Date.now(), what: 'clock.jump', target: `all +${ms}` }, null)
}

async function dump(db: mongo.Db, folder: string): Promise<void> {
  function plain(this: Record<string, unknown>, key: string, value: unknown): unknown {
    const given = this[key]
    return given instanceof Date ? given.getTime() : value
  }
  mkdirSync(join(folder, files.dump), { recursive: true })
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const cursor = db.collection(name).find({}, { sort: { _id: 1 } })
    const documents = await cursor.toArray()
    const lines = documents.map((document) => `${JSON.stringify(document, plain)}\n`)
    writeFileSync(join(folder, files.dump, `${name}.ndjson`), lines.join(''))
  }
}
