import { printTable } from '../test/support/table.ts'
import type { Benchmark } from './benchmark.ts'
import { measureCapacity } from './capacity.ts'
import { measureMemory } from './memory.ts'
import { measureRedisBytes } from './redis-bytes.ts'
import { measureRefundMemory } from './refund-memory.ts'
import type { Bench } from './rounds.ts'
import { aloneLine, comparedLine, type Line, spread } from './table.ts'

/** Sizes in Redis, in memory and in MongoDB. */
export const sizes: Record<string, Benchmark> = {
  'redis-bytes': {
    describe: () => "Redis's used_memory for each delivery that waits or is DEAD, without its fixed memory",
    async measure(bench) {
      const measured = await measureRedisBytes(bench)
      return measured.flatMap(({ setting, waiting, dead }, index) => [
        aloneLine(
          `redis-bytes, a waiting delivery (hash-max-listpack-value ${setting})`,
          waiting.toFixed(0),
          index === 0 ? '≤ 700' : '',
        ),
        aloneLine('  a DEAD one', dead.toFixed(0), ''),
      ])
    },
    takesSeconds: () => 150,
    profiled: [],
  },
  memory: {
    describe: ({ memoryMinutes }) =>
      `megabytes of \`web\` and \`worker\` after ${memoryMinutes} minutes of 100 creates/s with an endpoint ÷ after two; the minimum of half a minute`,
    async measure(bench) {
      const measured = await measureMemory(bench)
      return measured.flatMap(({ what, early, late }) => {
        const pairs = [{ service: late, bare: early }]
        return [
          comparedLine(`memory of ${what}, RSS, MB`, pairs, ({ rss }) => rss, ''),
          comparedLine('  heap, MB', pairs, ({ heap }) => heap, ''),
        ]
      })
    },
    takesSeconds: ({ memoryMinutes }) => 20 + memoryMinutes * 60,
    profiled: [],
  },
  'refund-memory': {
    describe: () =>
      'the most resident memory of a worker with a heap of 384 MB that delivers 150 refunds with full metadata (100 KB) to 5 endpoints',
    measure: async (bench) => [
      aloneLine('refund-memory of worker, MiB', spread(await measureRefundMemory(bench), 0), '≤ 350'),
    ],
    takesSeconds: ({ rounds }) => 10 + rounds * 20,
    profiled: [],
  },
  capacity: {
    describe: () =>
      'the stored data and the load of 20 000 creates, their deliveries, 4 000 payments and 2 000 orders, for each of them',
    measure: capacityLines,
    takesSeconds: () => 60,
    profiled: ['capacity-web', 'capacity-worker'],
  },
}

/** Prints the stored data by collection at once. The table at the end has the other figures. */
async function capacityLines(bench: Bench): Promise<Line[]> {
  const { each, expiryJobBytes } = await measureCapacity(bench)
  const kept = each.flatMap(({ what, kept: sizesOfKind }) =>
    sizesOfKind.map(({ collection, bytes, stored, indexes }) => [
      what,
      collection,
      ...[bytes, stored, indexes].map((size) => size.toFixed(0)),
    ]),
  )
  printTable([['  kept of a', 'collection', 'bytes', 'as stored', 'indexes'], ...kept])
  const loads = each.flatMap(({ what, commands, documents, journalBytes, networkBytes, cpuMs, mongoCpuMs }) => [
    aloneLine(`capacity, a ${what}: commands`, commands.toFixed(2), ''),
    aloneLine('  documents', documents.toFixed(1), ''),
    aloneLine('  journal and network, bytes', `${journalBytes.toFixed(0)}, ${networkBytes.toFixed(0)}`, ''),
    aloneLine('  CPU, and of MongoDB, ms', `${cpuMs.toFixed(2)}, ${mongoCpuMs.toFixed(2)}`, ''),
  ])
  return [...loads, aloneLine('capacity, a pending expiry: bytes in Redis', expiryJobBytes.toFixed(0), '')]
}
