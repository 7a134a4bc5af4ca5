import { measureBacklog } from './backlog.ts'
import type { Benchmark } from './benchmark.ts'
import { measureCleanUp } from './clean-up.ts'
import { measureFailover } from './failover.ts'
import { measureLatency } from './latency.ts'
import { measureList, type PageTimes } from './list.ts'
import { measureNoisy, type Phase } from './noisy.ts'
import type { Bench } from './rounds.ts'
import { measureStorm } from './storm.ts'
import { aloneLine, comparedLine, figureLine, type Line, spread } from './table.ts'

/** How long somebody waits: beside a bare counterpart, or beside itself with less to do. */
export const waits: Record<string, Benchmark> = {
  list: {
    says: ({ most, seconds }) =>
      `GET /dev/intents of a merchant with ${most} intents ÷ of one with 1 000, \`total\` counted; p95 at 2 connections, ${seconds} s in turns`,
    measure: async (bench) => (await measureList(bench)).flatMap((times) => listLines(times, bench)),
    profiled: ['list-web'],
  },
  latency: {
    says: ({ latencySeconds }) =>
      '200 creates/s to one `web` with one `worker`, 2 endpoints each ÷ a bare route with one insert and a bare BullMQ worker that ' +
      `posts twice; ${latencySeconds} s in turns; from the answer of a create to the arrival of its first attempts`,
    async measure(bench) {
      const pairs = await measureLatency(bench)
      return [
        comparedLine('latency, p50, ms', pairs, ({ p50 }) => p50, ''),
        comparedLine('  p99, ms', pairs, ({ p99 }) => p99, '50 ms'),
        figureLine('  worst, ms', pairs, ({ max }) => max),
        figureLine('  arrivals/s', pairs, ({ perSecond }) => perSecond),
        figureLine('  p99 of the create, ms', pairs, ({ createP99 }) => createP99),
        figureLine('  sent late by at most, ms', pairs, ({ latestMs }) => latestMs),
      ]
    },
    profiled: ['latency-web', 'latency-worker'],
  },
  noisy: {
    says: ({ backlog }) =>
      backlog
        ? '20 events/s of 20 businesses, from the answer of the create to the first attempt, beside 100 000 due retries of one dead receiver ÷ without'
        : '20 events/s of 99 businesses, from the answer of the create to the first attempt, beside one with 180/s whose receiver never answers ÷ without; one run',
    measure: (bench) => (bench.backlog ? backlogLines(bench) : noisyLines(bench)),
    profiled: ['noisy-worker'],
  },
  storm: {
    says: ({ storm }) =>
      `${storm} intents that expire within one second, one \`worker\`, from the second's end ÷ as many guarded findOneAndUpdate, 100 at a time`,
    async measure(bench) {
      const pairs = await measureStorm(bench)
      return [
        comparedLine('storm, s until all are CANCELLED', pairs, ({ ended }) => ended, '≤ 20 s'),
        aloneLine(
          '  s until all payment.expired arrived',
          spread(
            pairs.map(({ service }) => service.told),
            1,
          ),
          '',
        ),
      ]
    },
    profiled: ['storm-worker'],
  },
  'clean-up': {
    says: ({ most, trafficSeconds }) =>
      `100 creates/s beside the clean-up of ${most} old test documents ÷ without; one \`web\`, one \`worker\` and one that cleans, ${trafficSeconds} s in turns`,
    async measure(bench) {
      const pairs = await measureCleanUp(bench)
      return [
        comparedLine('clean-up, p99 of the create, ms', pairs, ({ p99 }) => p99, '≤ 1.5'),
        comparedLine('  p50, ms', pairs, ({ p50 }) => p50, ''),
        figureLine('  old documents gone/s', pairs, ({ gone }) => gone / bench.trafficSeconds),
      ]
    },
    profiled: ['clean-up-web'],
  },
  failover: {
    says: () =>
      'seconds without a create answered 201 after the primary of a replica set of three was killed ÷ without an insertOne of a bare loop beside it',
    async measure(bench) {
      const pairs = await measureFailover(bench)
      return [
        comparedLine('failover, s', pairs, ({ seconds }) => seconds, ''),
        figureLine('  tried in vain', pairs, ({ failed }) => failed),
      ]
    },
    profiled: ['failover-web'],
  },
}

function listLines({ page, byCount }: PageTimes, { most }: Bench): Line[] {
  const least = Math.min(...byCount.keys())
  const few = byCount.get(least) ?? []
  return [...byCount]
    .filter(([count]) => count > least)
    .map(([count, times]) =>
      comparedLine(
        `list, page ${page} of ${count} ÷ of ${least}, p95, ms`,
        times.map((service, round) => ({ service, bare: few[round] ?? Number.NaN })),
        (p95) => p95,
        count < most ? '' : page === 1 ? '≤ 1.5' : '≤ 5',
      ),
    )
}

async function noisyLines(bench: Bench): Promise<Line[]> {
  const { without, control, hanging, open } = await measureNoisy(bench)
  console.log(
    `  p99 of the last phase in slices of 15 s: ${hanging.slices.map((p99) => p99.toFixed(1)).join(', ')} ms; ${open} attempts open`,
  )
  return [
    ...besideLines('noisy, its receiver never answers', hanging, without, '≤ 2'),
    ...besideLines('  its receiver answers', control, without, ''),
  ]
}

async function backlogLines(bench: Bench): Promise<Line[]> {
  const { without, dead } = await measureBacklog(bench)
  return dead.flatMap(({ phase, attempted }) =>
    besideLines(`noisy --backlog, ${phase.what}, ${attempted} tried`, phase, without, '≤ 2'),
  )
}

const besideLines = (what: string, beside: Phase, without: Phase, aim: string): Line[] => {
  const pairs = [{ service: beside, bare: without }]
  return [
    comparedLine(`${what}: p99, ms`, pairs, ({ p99 }) => p99, aim),
    figureLine('    p50, ms', pairs, ({ p50 }) => p50),
    figureLine('    worst, ms', pairs, ({ max }) => max),
  ]
}
