import { expect } from 'chai'
import { partOfBusiness as partOfRoom, roomBytes, smallBytes } from '../../src/http/body/budget.ts'
import { partOfBusiness, responseBytes, smallResponseBytes } from '../../src/http/responses/budget.ts'
import { mostWaiting } from '../../src/http/server/in-order.ts'
import { mostEver } from '../../src/http/server/most-connections.ts'
import { timeouts } from '../../src/http/server/timeouts.ts'
import { textOf } from './pages.ts'

/** As the pages write it: thousands apart. */
const number = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ')
const seconds = (ms: number): string => `${ms / 1000} s`
const kib = (bytes: number): string => `${bytes / 1024} KiB`
const mib = (bytes: number): string => `${bytes / 1024 / 1024} MiB`

/** The sentences in which each page states the limits of a connection, with the numbers from the code. */
const said: Record<string, string[]> = {
  'docs/merchants/errors.md': [
    `${mostWaiting} requests that wait on one connection`,
    `once more for each full ${kib(smallBytes)}`,
    `${mib(roomBytes.json * partOfRoom)} of large bodies that arrive at once; ${mib(roomBytes.csv * partOfRoom)} of imports`,
    `${mib(responseBytes * partOfBusiness)} of large responses`,
  ],
  'docs/maintainers/decisions.md': [
    `at most ${number(mostEver)} connections`,
    `at most ${mostWaiting} of them wait`,
    `for up to ${seconds(timeouts.lingerMs)}`,
    `over ${kib(smallResponseBytes)}`,
  ],
}

describe('The limits of a connection', () => {
  for (const [page, sentences] of Object.entries(said))
    it(`are in ${page} as they are`, () => {
      const text = textOf(page).replaceAll(/\s+/g, ' ')
      for (const sentence of sentences) expect(text).to.include(sentence)
    })
})
