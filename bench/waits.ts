import type { Benchmark } from './benchmark.ts'
import { measureCleanUp, SETTLE_SECONDS } from './clean-up.ts'
import { measureFailover } from './failover.ts'
import { measureLatency } from './latency.ts'
import { type ListTimes, measureList } from './list.ts'
import { measureLists } from './lists.ts'
import { network } from './network.ts'
import type { Bench } from './rounds.ts'
import { measureStorm, WARM_UP_STORMS } from './storm.ts'
import { aloneLine, comparedLine, figureLine, type Line, spread } from './table.ts'

/** Durations of the service, compared with a bare counterpart or with the service under less load. */
export const waits: Record<string, Benchmark> = {
  list: {
    describe: ({ most, seconds }) =>
      `GET /dev/intents of a merchant with ${most} intents ÷ of one with 1 000, \`total\` counted; p95 at 2 connections, ${seconds} s in turns`,
    measure: async (bench) => listLines(await measureList(bench), bench),
    takesSeconds: ({ rounds, seconds, most }) => 8 + most / 15_000 + rounds * (9 * (seconds + 1) + 5),
    profiled: ['list-web'],
  },
  latency: {
    describe: ({ latencySeconds }) =>
      '200 creates/s to one `web` with one `worker`, 2 endpoints each ÷ a bare route with one insert and a bare BullMQ worker that ' +
      `posts twice; ${latencySeconds} s in turns; from the response of a create to the arrival of its first attempts`,
    async measure(bench) {
      const pairs = await measureLatency(bench)
      return [
        comparedLine('latency, p50, ms', pairs, ({ p50 }) => p50, ''),
        comparedLine('  p99, ms', pairs, ({ p99 }) => p99, '≤ 10'),
        figureLine('  worst, ms', pairs, ({ max }) => max),
        figureLine('  arrivals/s', pairs, ({ perSecond }) => perSecond),
        figureLine('  p99 of the create, ms', pairs, ({ createP99 }) => createP99),
      ]
    },
    takesSeconds: ({ rounds, latencySeconds }) => 35 + rounds * 2 * (latencySeconds + 2),
    profiled: ['latency-web', 'latency-worker'],
  },
  storm: {
    describe: ({ storm }) =>
      `${storm} intents that expire within one second, one \`worker\`, from the second's end ÷ as many guarded findOneAndUpdate, 100 at a time`,
    async measure(bench) {
      const pairs = await measureStorm(bench)
      return [
        comparedLine('storm, s until all are CANCELLED', pairs, ({ ended }) => ended, '≤ 20 s'),
        aloneLine(
          '  s until all payment.expired arrived',
          spread(
            pairs.map(({ service }) => service.delivered),
            1,
          ),
          '',
        ),
      ]
    },
    takesSeconds: ({ rounds, storm }) => 6 + (WARM_UP_STORMS + rounds) * (21 + storm / 600),
    profiled: ['storm-worker'],
  },
  'clean-up': {
    describe: ({ most, trafficSeconds }) =>
      `100 creates/s beside the clean-up of ${most} old test documents ÷ without; one \`web\`, one \`worker\` and another one for the clean-up, ${trafficSeconds} s in turns`,
    async measure(bench) {
      const pairs = await measureCleanUp(bench)
      return [
        comparedLine('clean-up, p99 of the create, ms', pairs, ({ p99 }) => p99, '≤ 1.5'),
        comparedLine('  p50, ms', pairs, ({ p50 }) => p50, ''),
        figureLine('  old documents removed/s', pairs, ({ removedPerSecond }) => removedPerSecond),
      ]
    },
    takesSeconds: ({ rounds, most, trafficSeconds }) =>
      15 + most / 12_000 + rounds * (2 * (trafficSeconds + SETTLE_SECONDS) + 8),
    profiled: ['clean-up-web'],
  },
  lists: {
    describe: ({ trafficSeconds }) =>
      `50 creates/s of one merchant beside 60 clients that list another's 40 000 PENDING intents ÷ alone; one \`web\` without a rate limit, ${trafficSeconds} s in turns`,
    async measure(bench) {
      const pairs = await measureLists(bench)
      return [
        comparedLine('lists, p99 of the create, ms', pairs, ({ p99 }) => p99, '≤ 3'),
        comparedLine('  p50, ms', pairs, ({ p50 }) => p50, ''),
        figureLine('  lists/s', pairs, ({ listed }) => listed),
        figureLine('  lists refused/s', pairs, ({ refused }) => refused),
      ]
    },
    takesSeconds: ({ rounds, trafficSeconds }) => 20 + rounds * 2 * (trafficSeconds + 5),
    profiled: ['lists-web'],
  },
  network,
  failover: {
    describe: () =>
      'seconds without a successful create after the primary of a replica set of three was killed ÷ without one of a bare Express 5 route with one insertOne beside it',
    async measure(bench) {
      const pairs = await measureFailover(bench)
      return [
        comparedLine('failover, s', pairs, ({ seconds }) => seconds, ''),
        figureLine('  failed requests', pairs, ({ failed }) => failed),
      ]
    },
    takesSeconds: ({ rounds }) => 6 + rounds * 15,
    profiled: ['failover-web'],
  },
}

const listLines = ({ pages, cold }: ListTimes, { most }: Bench): Line[] => [
  ...pages.flatMap(({ what, aim, byCount }) =>
    countLines(`list, ${what}`, 'p95, ms', byCount, (count) => (count < most ? '' : aim)),
  ),
  ...countLines('list, first page after a start', 'ms', cold, () => ''),
]

/** Compares the longer lists with the shortest. */
function countLines(
  what: string,
  unit: string,
  byCount: Map<number, number[]>,
  aimOf: (count: number) => string,
): Line[] {
  const least = Math.min(...byCount.keys())
  const few = byCount.get(least) ?? []
  return [...byCount]
    .filter(([count]) => count > least)
    .map(([count, times]) =>
      comparedLine(
        `${what} of ${count} ÷ of ${least}, ${unit}`,
        times.map((service, round) => ({ service, bare: few[round] ?? Number.NaN })),
        (ms) => ms,
        aimOf(count),
      ),
    )
}
