import type { Benchmark } from './benchmark.ts'
import { measureCancel } from './cancel.ts'
import { measureCreate } from './create.ts'
import { measureCsv } from './csv.ts'
import { measureDeliver, WARM_UP_DRAINS } from './deliver.ts'
import { measureEndToEnd, WARM_UP_EVENTS } from './end-to-end.ts'
import { measureGet } from './get.ts'
import { measurePay } from './pay.ts'
import { payLines } from './pay-lines.ts'
import { measureQuotas } from './quotas.ts'
import type { Pair } from './rounds.ts'
import { measureStock } from './stock.ts'
import { aloneLine, comparedLine, figureLine, type Line, rateLine, spread } from './table.ts'

/** Rates of the service, compared with a bare counterpart. */
export const rates: Record<string, Benchmark> = {
  create: {
    describe: ({ seconds }) =>
      'POST /dev/intents of one `web` ÷ a bare Express 5 route with one insertOne; both w:majority j:true, ' +
      `64 connections, ${seconds} s in turns`,
    measure: async (bench) => rateLines('create, requests/s', await measureCreate(bench), '≥ 0.9'),
    takesSeconds: ({ rounds, seconds }) => 10 + rounds * 2 * (seconds + 1),
    profiled: ['web'],
  },
  quotas: {
    describe: ({ seconds }) =>
      'POST /dev/intents of two `web` with quotas that nothing uses up ÷ the same with quotas at 0; 4 merchants, ' +
      `2 × 32 connections, ${seconds} s in turns`,
    measure: async (bench) => rateLines('quotas, requests/s', await measureQuotas(bench), '≥ 0.95'),
    takesSeconds: ({ rounds, seconds }) => 15 + rounds * 2 * (seconds + 1),
    profiled: ['quotas-1'],
  },
  get: {
    describe: ({ seconds }) =>
      'GET /dev/intents/{reference} of one `web` ÷ a bare Express 5 route with one findOne by an indexed field; ' +
      `64 connections, 20 000 intents, ${seconds} s in turns`,
    measure: async (bench) => rateLines('get, requests/s', await measureGet(bench), ''),
    takesSeconds: ({ rounds, seconds }) => 15 + rounds * 2 * (seconds + 1),
    profiled: ['get-web'],
  },
  cancel: {
    describe: ({ seconds }) =>
      'POST …/cancel of one `web` ÷ a bare Express 5 route with one guarded findOneAndUpdate; both w:majority j:true, ' +
      `64 connections, each intent once, ${seconds} s in turns`,
    measure: async (bench) => rateLines('cancel, requests/s', await measureCancel(bench), '≥ 0.7'),
    takesSeconds: ({ rounds, seconds }) => 15 + rounds * 2 * (2 * seconds + 1),
    profiled: ['cancel-web'],
  },
  pay: {
    describe: ({ seconds }) =>
      "the form of one `web`'s hosted page, live, by a provider that responds at once ÷ a bare Express 5 form with one findOneAndUpdate; " +
      `both w:majority j:true, 64 connections, ${seconds} s in turns`,
    measure: async (bench) => payLines(await measurePay(bench)),
    takesSeconds: ({ rounds, seconds }) => 40 + rounds * 5 * seconds,
    profiled: ['pay-web'],
  },
  stock: {
    describe: ({ seconds }) =>
      'PATCH …/variants/{vid}/stock of one `web` ÷ a bare Express 5 route with one guarded findOneAndUpdate; both w:majority j:true, ' +
      `64 connections on 500 products, ${seconds} s in turns`,
    measure: async (bench) => rateLines('stock, changes/s', await measureStock(bench), '≥ 0.7'),
    takesSeconds: ({ rounds, seconds }) => 10 + rounds * 2 * (seconds + 1),
    profiled: ['stock-web'],
  },
  csv: {
    describe: () =>
      'an import of 5 000 rows by one `web`, 2 500 products into an empty shop ÷ a bare Express 5 route with csv-parse and one bulk write of ' +
      'the same documents; both w:majority j:true, one at a time, in turns',
    async measure(bench) {
      const { pairs, unchangedMs, repricedMs } = await measureCsv(bench)
      return [
        rateLine('csv, rows/s', pairs, '≥ 0.5'),
        figureLine('  one import, ms', pairs, ({ ms }) => ms),
        aloneLine('  one that changes nothing, ms', spread(unchangedMs, 0), ''),
        aloneLine('  one that changes every price, ms', spread(repricedMs, 0), ''),
      ]
    },
    takesSeconds: ({ rounds }) => 6 + rounds * 5,
    profiled: ['csv-web'],
  },
  deliver: {
    describe: ({ deliveries }) =>
      `one \`worker\` from ${deliveries} events in outboxes of 20 merchants to their recorded deliveries ÷ a bare BullMQ worker with undici, ` +
      '200 at a time, from its jobs to the last arrival; in turns at one endpoint',
    async measure(bench) {
      const pairs = await measureDeliver(bench)
      return [
        rateLine('deliver, deliveries/s', pairs, '≥ 0.7'),
        comparedLine(
          '  processor time of one, without MongoDB on the bare side, µs',
          pairs,
          ({ workerUs, mongoUs, redisUs }) => workerUs + mongoUs + redisUs,
          '≤ 1.6',
        ),
        figureLine('    of the worker, µs', pairs, ({ workerUs }) => workerUs),
        figureLine('    of MongoDB, µs', pairs, ({ mongoUs }) => mongoUs),
        figureLine('    of Redis, µs', pairs, ({ redisUs }) => redisUs),
      ]
    },
    takesSeconds: ({ rounds, deliveries }) => 10 + ((rounds + WARM_UP_DRAINS) * deliveries) / 1_000,
    profiled: ['deliver-worker'],
  },
  'end-to-end': {
    describe: ({ events }) =>
      `${events} creates over 64 connections to one \`web\`, their webhooks by one \`worker\` to one endpoint ÷ a bare Express 5 route with one ` +
      'insertOne and one job, and a bare BullMQ worker with undici; from the first create to the last arrival, in turns',
    async measure(bench) {
      const pairs = await measureEndToEnd(bench)
      return [
        rateLine('end-to-end, events/s', pairs, '≥ 0.85'),
        figureLine('  creates/s', pairs, ({ created }) => created),
      ]
    },
    takesSeconds: ({ rounds, events }) => 8 + (4 * WARM_UP_EVENTS + rounds * 2 * events) / 1_000,
    profiled: ['end-to-end-web', 'end-to-end-worker'],
  },
}

const rateLines = (
  what: string,
  pairs: Pair<{ perSecond: number; p50: number; p99: number }>[],
  aim: string,
): Line[] => [
  rateLine(what, pairs, aim),
  figureLine('  p50, ms', pairs, ({ p50 }) => p50),
  figureLine('  p99, ms', pairs, ({ p99 }) => p99),
]
