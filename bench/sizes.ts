import { printTable } from '../test/support/table.ts'
import type { Benchmark } from './benchmark.ts'
import { measureCapacity } from './capacity.ts'
import { measureMemory } from './memory.ts'
import { measureRedisBytes } from './redis-bytes.ts'
import { measureRefundMemory } from './refund-memory.ts'
import type { Bench } from './rounds.ts'
import { aloneLine, comparedLine, type Line, spread } from './table.ts'

/** What is kept, in Redis, in memory and in MongoDB. */
export const sizes: Record<string, Benchmark> = {
  'redis-bytes': {
    says: () =>
      "Redis's used_memory for each delivery that waits or is DEAD, above what it takes without them",
    async measure(bench) {
      const measured = await measureRedisBytes(bench)
      return measured.flatMap(({ setting, waiting, dead }, place) => [
        aloneLine(
          `redis-bytes, a waiting delivery (hash-max-listpack-value ${setting})`,
          waiting.toFixed(0),
          place === 0 ? '≤ 700' : '',
        ),
        aloneLine('  a DEAD one', dead.toFixed(0), ''),
      ])
    },
    takesSeconds: () => 150,
    profiled: [],
  },
  memory: {
    says: ({ memoryMinutes }) =>
      `megabytes of \`web\` and \`worker\` after ${memoryMinutes} minutes of 100 creates/s with a receiver ÷ after two; the least of half a minute`,
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
    says: () =>
      'the most resident memory of a worker with a heap of 384 MB that delivers 150 refunds with full metadata (100 KB) to 5 endpoints',
    measure: async (bench) => [
      aloneLine('refund-memory of worker, MiB', spread(await measureRefundMemory(bench), 0), '≤ 350'),
    ],
    takesSeconds: ({ rounds }) => 10 + rounds * 20,
    profiled: [],
  },
  capacity: {
    says: () =>
      'what 20 000 creates, their deliveries, 4 000 payments and 2 000 orders leave in MongoDB and ask of it, each',
    measure: capacityLines,
    takesSeconds: () => 60,
    profiled: ['capacity-web', 'capacity-worker'],
  },
}

/** Shows what is kept at once, by collection; the table has the rest. */
async function capacityLines(bench: Bench): Promise<Line[]> {
  const { each, expiryJobBytes } = await measureCapacity(bench)
  const kept = each.flatMap(({ what, kept: some }) =>
    some.map(({ collection, bytes, stored, indexes }) => [
      what,
      collection,
      ...[bytes, stored, indexes].map((size) => size.toFixed(0)),
    ]),
  )
  printTable([['  kept of a', 'collection', 'bytes', 'as stored', 'indexes'], ...kept])
  const asked = each.flatMap(
    ({ what, commands, documents, journalBytes, networkBytes, cpuMs, mongoCpuMs }) => [
      aloneLine(`capacity, a ${what}: commands`, commands.toFixed(2), ''),
      aloneLine('  documents', documents.toFixed(1), ''),
      aloneLine('  journal and network, bytes', `${journalBytes.toFixed(0)}, ${networkBytes.toFixed(0)}`, ''),
      aloneLine('  CPU, and of MongoDB, ms', `${cpuMs.toFixed(2)}, ${mongoCpuMs.toFixed(2)}`, ''),
    ],
  )
  return [...asked, aloneLine('capacity, a pending expiry: bytes in Redis', expiryJobBytes.toFixed(0), '')]
}
