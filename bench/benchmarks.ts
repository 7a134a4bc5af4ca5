import { measureBacklog } from './backlog.ts'
import { measureCapacity } from './capacity.ts'
import { measureCreate } from './create.ts'
import { measureCsv } from './csv.ts'
import { measureDeliver } from './deliver.ts'
import { measureLatency } from './latency.ts'
import { measureNoisy, type Phase } from './noisy.ts'
import { measurePay } from './pay.ts'
import { payTable } from './pay-table.ts'
import { measureRedisBytes } from './redis-bytes.ts'
import type { Bench } from './rounds.ts'
import { measureStock } from './stock.ts'
import { aloneLine, comparedLine, figureLine, lineTable, rateLine, spread } from './table.ts'

interface Benchmark {
  /** What is compared with what, in one sentence. */
  says(bench: Bench): string
  /** Measures, and answers a table with its head. @throws {Error} when something was lost, or cannot be measured */
  measure(bench: Bench): Promise<string[][]>
  /** The processes whose profiles are shown. */
  profiled: string[]
}

/** Every benchmark, in the order in which `npm run bench` runs them. */
export const benchmarks: Record<string, Benchmark> = {
  create: {
    says: ({ seconds }) =>
      'POST /dev/intents of one `web` ÷ a bare Express 5 route with one insertOne; both w:majority j:true, ' +
      `64 connections, ${seconds} s in turns`,
    async measure(bench) {
      const pairs = await measureCreate(bench)
      return lineTable([
        rateLine('create, requests/s', pairs, '0.6'),
        figureLine('  p50, ms', pairs, ({ p50 }) => p50),
        figureLine('  p99, ms', pairs, ({ p99 }) => p99),
      ])
    },
    profiled: ['web'],
  },
  pay: {
    says: ({ seconds }) =>
      "the form of one `web`'s hosted page, live, by a provider that answers at once ÷ a bare Express 5 form with one findOneAndUpdate; " +
      `both w:majority j:true, 64 connections, ${seconds} s in turns`,
    measure: async (bench) => payTable(await measurePay(bench)),
    profiled: ['pay-web'],
  },
  stock: {
    says: ({ seconds }) =>
      'PATCH …/variants/{vid}/stock of one `web` ÷ a bare Express 5 route with one guarded findOneAndUpdate; both w:majority j:true, ' +
      `64 connections on 500 products, ${seconds} s in turns`,
    async measure(bench) {
      const pairs = await measureStock(bench)
      return lineTable([
        rateLine('stock, changes/s', pairs, '0.7'),
        figureLine('  p50, ms', pairs, ({ p50 }) => p50),
        figureLine('  p99, ms', pairs, ({ p99 }) => p99),
      ])
    },
    profiled: ['stock-web'],
  },
  csv: {
    says: () =>
      'an import of 5 000 rows by one `web`, 2 500 products into an empty shop ÷ a bare Express 5 route with csv-parse and one bulk write of ' +
      'the same documents; both w:majority j:true, one at a time, in turns',
    async measure(bench) {
      const { pairs, unchangedMs, repricedMs } = await measureCsv(bench)
      return lineTable([
        rateLine('csv, rows/s', pairs, '0.5'),
        figureLine('  one import, ms', pairs, ({ ms }) => ms),
        aloneLine('  one that changes nothing, ms', spread(unchangedMs, 0), ''),
        aloneLine('  one that changes every price, ms', spread(repricedMs, 0), ''),
      ])
    },
    profiled: ['csv-web'],
  },
  deliver: {
    says: ({ deliveries }) =>
      'one `worker` draining what is due to 20 endpoints ÷ a bare BullMQ worker with undici; both 200 at a ' +
      `time, ${deliveries} in turns, first to last arrival at one receiver`,
    measure: async (bench) =>
      lineTable([rateLine('deliver, deliveries/s', await measureDeliver(bench), '0.3, and 1500/s')]),
    profiled: ['worker'],
  },
  latency: {
    says: ({ latencySeconds }) =>
      '200 creates/s to one `web` with one `worker`, 2 endpoints each ÷ a bare route with one insert and a bare BullMQ worker that ' +
      `posts twice; ${latencySeconds} s in turns; from the answer of a create to the arrival of its first attempts`,
    async measure(bench) {
      const pairs = await measureLatency(bench)
      return lineTable([
        comparedLine('latency, p50, ms', pairs, ({ p50 }) => p50, ''),
        comparedLine('  p99, ms', pairs, ({ p99 }) => p99, '50 ms'),
        figureLine('  worst, ms', pairs, ({ max }) => max),
        figureLine('  arrivals/s', pairs, ({ perSecond }) => perSecond),
        figureLine('  p99 of the create, ms', pairs, ({ createP99 }) => createP99),
        figureLine('  sent late by at most, ms', pairs, ({ latestMs }) => latestMs),
      ])
    },
    profiled: ['latency-web', 'latency-worker'],
  },
  noisy: {
    says: ({ backlog }) =>
      backlog
        ? '20 events/s of 20 businesses, from the answer of the create to the first attempt, beside 100 000 due retries of one dead receiver ÷ without'
        : '20 events/s of 99 businesses, from the answer of the create to the first attempt, beside one with 180/s whose receiver never answers ÷ without',
    measure: (bench) => (bench.backlog ? backlogTable(bench) : noisyTable(bench)),
    profiled: ['noisy-worker'],
  },
  'redis-bytes': {
    says: () =>
      "Redis's used_memory for each delivery that waits or is DEAD, above what it takes without them",
    measure: redisBytesTable,
    profiled: [],
  },
  capacity: {
    says: () =>
      'what 20 000 creates, their deliveries, 4 000 payments and 2 000 orders leave in MongoDB and ask of it, each',
    measure: capacityTable,
    profiled: ['capacity-web', 'capacity-worker'],
  },
}

async function noisyTable(bench: Bench): Promise<string[][]> {
  const { without, control, hanging, open } = await measureNoisy(bench)
  console.log(
    `  p99 of the last phase in slices of 15 s: ${hanging.slices.map(ms).join(', ')} ms; ${open} attempts open`,
  )
  return [
    ['noisy', 'p50, ms', 'p99, ms', 'worst, ms', 'events', 'p99 ÷ without', 'p99 ÷ answers', 'aim'],
    phaseRow(without),
    [...phaseRow(control), ratio(control, without)],
    [...phaseRow(hanging), ratio(hanging, without), ratio(hanging, control), '2 × without'],
  ]
}

async function backlogTable(bench: Bench): Promise<string[][]> {
  const { without, dead } = await measureBacklog(bench)
  return [
    [
      'noisy --backlog',
      'p50, ms',
      'p99, ms',
      'worst, ms',
      'events',
      'p99 ÷ without',
      'retries attempted',
      'aim',
    ],
    phaseRow(without),
    ...dead.map(({ phase, attempted }) => [
      ...phaseRow(phase),
      ratio(phase, without),
      String(attempted),
      '2 × without',
    ]),
  ]
}

async function redisBytesTable(bench: Bench): Promise<string[][]> {
  const measured = await measureRedisBytes(bench)
  return [
    ['redis-bytes', 'waiting, bytes each', 'DEAD, bytes each', 'aim'],
    ...measured.map(({ setting, waiting, dead }, place) => [
      `hash-max-listpack-value ${setting}`,
      waiting.toFixed(0),
      dead.toFixed(0),
      place === 0 ? '600 waiting' : '',
    ]),
  ]
}

async function capacityTable(bench: Bench): Promise<string[][]> {
  const { each, expiryJobBytes } = await measureCapacity(bench)
  const figures = each.map(
    ({ what, trips, documents, journalBytes, networkBytes, cpuMs, mongoCpuMs, kept }) => [
      what,
      trips.toFixed(2),
      documents.toFixed(1),
      journalBytes.toFixed(0),
      networkBytes.toFixed(0),
      cpuMs.toFixed(2),
      mongoCpuMs.toFixed(2),
      kept
        .map(({ collection, bytes, stored, indexes }) =>
          [collection, ...[bytes, stored, indexes].map((size) => size.toFixed(0))].join(' '),
        )
        .join(', '),
    ],
  )
  const head = [
    'capacity, each',
    'trips',
    'documents',
    'journal, bytes',
    'network, bytes',
    'CPU, ms',
    'of MongoDB',
  ]
  const waiting = ['expiry to come', ...head.slice(1).map(() => ''), `Redis ${expiryJobBytes.toFixed(0)}`]
  return [[...head, 'kept: bytes, as stored, indexes'], ...figures, waiting]
}

const phaseRow = ({ what, p50, p99, max, events }: Phase): string[] => [
  what,
  ms(p50),
  ms(p99),
  ms(max),
  String(events),
]
const ratio = (one: Phase, other: Phase): string => (one.p99 / other.p99).toFixed(2)
const ms = (value: number): string => value.toFixed(1)
