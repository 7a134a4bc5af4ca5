import { maxPipelined } from '../../src/http/server/connection.ts'
import { maxConnections } from '../../src/http/server/network-share.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { maxBusinessBytes } from '../../src/limits/capacity.ts'
import { memoryPerBodyByte, uncountedBytes } from '../../src/limits/memory.ts'
import { textOf } from './pages.ts'

const number = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ')
const seconds = (ms: number): string => `${ms / 1000} s`
const kib = (bytes: number): string => `${bytes / 1024} KiB`
const mib = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`

const phrases: Record<string, string[]> = {
  'docs/merchants/errors.md': [
    `Each full ${kib(uncountedBytes)} of a JSON body`,
    `${mib(maxBusinessBytes / memoryPerBodyByte.json)} of large bodies arriving at once, or ${mib(maxBusinessBytes / memoryPerBodyByte.csv)} of imports`,
    `${mib(maxBusinessBytes)} of large responses`,
  ],
  'docs/maintainers/decisions.md': [
    `at most ${number(maxConnections)} connections`,
    `at most ${maxPipelined} unanswered requests`,
    `for up to ${seconds(httpTimeouts.lingerMs)}`,
    `over ${kib(uncountedBytes)}`,
  ],
}

describe('A connection limit', () => {
  for (const [page, sentences] of Object.entries(phrases))
    it(`is the same in ${page} as in the code`, () => {
      const text = textOf(page).replaceAll(/\s+/g, ' ')
      for (const sentence of sentences) expect(text).to.include(sentence)
    })
})
