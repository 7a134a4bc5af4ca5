import { measureBacklog } from './backlog.ts'
import type { Benchmark } from './benchmark.ts'
import { measureHanging } from './hanging.ts'
import { HANGING_SECONDS, measureNoisy, PHASE_SECONDS, type Phase } from './noisy.ts'
import { eventsOf, type Latency, measureReplayBeside } from './replay-beside.ts'
import type { Bench, Pair } from './rounds.ts'
import { measureSlowEndpoint } from './slow-endpoint.ts'
import { aloneLine, comparedLine, figureLine, type Line, spread } from './table.ts'
import { measureWithoutRedis } from './without-redis.ts'

/**
 * How soon webhooks arrive beside what may delay them: a noisy business, hanging or slow endpoints, a backlog, Redis
 * that is stopped.
 */
export const isolation: Record<string, Benchmark> = {
  noisy: {
    describe: ({ backlog }) =>
      backlog
        ? '20 events/s of 20 businesses, from the response of the create to the first attempt, beside 100 000 due retries of one dead endpoint ÷ without'
        : '20 events/s of 99 businesses beside one with 180/s ÷ 200/s spread evenly over all 100, from the response of the create to the first attempt; ' +
          `${PHASE_SECONDS} s in turns, then ${HANGING_SECONDS} s while its endpoint hangs`,
    measure: (bench) => (bench.backlog ? backlogLines(bench) : noisyLines(bench)),
    takesSeconds: ({ backlog, rounds }) => (backlog ? 155 : 30 + rounds * 2 * (PHASE_SECONDS + 2) + HANGING_SECONDS),
    profiled: ['noisy-worker'],
  },
  hanging: {
    describe: () =>
      '20 events/s of one endpoint, from the response of the create to the first attempt, beside five endpoints of another business that were good and ' +
      'hang under 150 events ÷ alone; 40 s and 20 s in turns',
    async measure(bench) {
      const pairs = await measureHanging(bench)
      return [
        comparedLine('hanging: p99, ms', pairs, ({ p99 }) => p99, '≤ 2'),
        comparedLine('  p50, ms', pairs, ({ p50 }) => p50, ''),
        figureLine('  worst, ms', pairs, ({ max }) => max),
      ]
    },
    takesSeconds: ({ rounds }) => 20 + rounds * 95,
    profiled: ['hanging-worker'],
  },
  'replay-beside': {
    describe: (bench) =>
      `25 creates/s of a merchant beside a replay of ${eventsOf(bench)} of its past events to the same endpoint ÷ alone, and 25 of another merchant; ` +
      `${bench.trafficSeconds} s in turns`,
    async measure(bench) {
      const pairs = await measureReplayBeside(bench)
      const line = (what: string, whose: 'same' | 'other', figure: keyof Latency, aim = '') =>
        comparedLine(what, pairs, (each) => each[whose][figure], aim)
      return [
        line('replay-beside: p99 of the create, ms', 'same', 'create99', '≤ 1.5'),
        line('  p50', 'same', 'create50', '≤ 1.5'),
        line('  p99 from the response to the first attempt, ms', 'same', 'attempt99', '≤ 1.5'),
        line('  p50', 'same', 'attempt50', '≤ 1.5'),
        line('  of another merchant: p99 of the create, ms', 'other', 'create99', '≤ 1.5'),
        line('  p50', 'other', 'create50', '≤ 1.5'),
        line('  p99 from the response to the first attempt, ms', 'other', 'attempt99', '≤ 1.5'),
        line('  p50', 'other', 'attempt50', '≤ 1.5'),
        figureLine('  replayed events/s', pairs, ({ replayedPerSecond }) => replayedPerSecond),
      ]
    },
    takesSeconds: (bench) => 25 + eventsOf(bench) / 5000 + bench.rounds * (2 * bench.trafficSeconds + 5),
    profiled: ['replay-beside-web', 'replay-beside-worker'],
  },
  'slow-endpoint': {
    describe: () =>
      '10 events/s to an endpoint that takes 3 s for each, from the response of the create to the first attempt; all 60 s',
    async measure(bench) {
      const measured = await measureSlowEndpoint(bench)
      const line = (what: string, figures: number[], aim: string) => aloneLine(what, spread(figures, 0), aim)
      return [
        line(
          'slow-endpoint: p90, ms',
          measured.map(({ p90 }) => p90),
          '≤ 2000 ms',
        ),
        line(
          '  p50, ms',
          measured.map(({ p50 }) => p50),
          '',
        ),
        line(
          '  worst, ms',
          measured.map(({ max }) => max),
          '',
        ),
      ]
    },
    takesSeconds: ({ rounds }) => 10 + rounds * 66,
    profiled: ['slow-endpoint-worker'],
  },
  'without-redis': {
    describe: () =>
      '50 creates/s of 10 businesses for two minutes with Redis stopped ÷ 20 s with Redis, in turns; the create, and from its response to the first attempt',
    async measure(bench) {
      const pairs = await measureWithoutRedis(bench)
      return [
        comparedLine('without-redis, p99 of the create, ms', pairs, ({ create }) => create, '≤ 2'),
        figureLine('  p99 to the first attempt, ms', pairs, ({ firstAttempt }) => firstAttempt, '≤ 5000 ms'),
      ]
    },
    takesSeconds: ({ rounds }) => 20 + rounds * 150,
    profiled: ['without-redis-web', 'without-redis-worker'],
  },
}

async function noisyLines(bench: Bench): Promise<Line[]> {
  const { pairs, hanging, open } = await measureNoisy(bench)
  console.log(
    `  p99 of the last phase in slices of 15 s: ${hanging.slices.map((p99) => p99.toFixed(1)).join(', ')} ms; ${open} attempts open`,
  )
  const lastPair = pairs.slice(-1).map(({ bare }) => ({ service: hanging, bare }))
  return [...besideLines('noisy', pairs, '≤ 1.5'), ...besideLines('  while its endpoint hangs', lastPair, '≤ 1.5')]
}

async function backlogLines(bench: Bench): Promise<Line[]> {
  const { without, dead } = await measureBacklog(bench)
  return dead.flatMap(({ phase, attempted }) =>
    besideLines(`noisy --backlog, ${phase.what}, ${attempted} tried`, [{ service: phase, bare: without }], '≤ 2'),
  )
}

const besideLines = (what: string, pairs: Pair<Phase>[], aim: string): Line[] => [
  comparedLine(`${what}: p99, ms`, pairs, ({ p99 }) => p99, aim),
  figureLine('    p50, ms', pairs, ({ p50 }) => p50),
  figureLine('    worst, ms', pairs, ({ max }) => max),
]
