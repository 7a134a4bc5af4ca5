import { expect } from 'chai'
import { partOfBusiness as partOfRoom, roomBytes, smallBytes } from '../../src/http/body/budget.ts'
import { largestJson } from '../../src/http/body/csv-body.ts'
import { deepest } from '../../src/http/body/json-body.ts'
import { largestBytes } from '../../src/http/body/read-body.ts'
import { partOfBusiness, responseBytes, smallResponseBytes } from '../../src/http/responses/budget.ts'
import { mostHeaders } from '../../src/http/server/bare-app.ts'
import { leastRate, leastReadRate } from '../../src/http/server/cut-slow.ts'
import { mostWaiting } from '../../src/http/server/in-order.ts'
import { mostHeaderBytes } from '../../src/http/server/listen.ts'
import { mostEver } from '../../src/http/server/most-connections.ts'
import { timeouts } from '../../src/http/server/timeouts.ts'
import { textOf } from './pages.ts'

/** As the pages write it: thousands apart. */
const number = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ')
const seconds = (ms: number): string => `${ms / 1000} s`
const kib = (bytes: number): string => `${bytes / 1024} KiB`
const mib = (bytes: number): string => `${bytes / 1024 / 1024} MiB`
const ofHeaders = kib(mostHeaderBytes)
const small = kib(smallBytes)
const body = kib(largestBytes.json)
const headers = seconds(timeouts.headersMs)
const request = seconds(timeouts.requestMs)
const grace = seconds(timeouts.bodyGraceMs)

/** The sentences in which each page states the limits of a connection, with the numbers from the code. */
const said: Record<string, string[]> = {
  'docs/api.md': [
    `all headers | at most ${ofHeaders}, ${mostHeaders} headers |`,
    `| Body | at most ${body}; for an [import](store.md#csv) ${mib(largestBytes.csv)}, in JSON ${mib(largestJson)} |`,
    `| Nesting of a body | at most ${deepest} levels |`,
    `| Time to send the headers | at most ${headers} |`,
    `| Time to send the whole request | at most ${request} |`,
    `| Rate of sending a body | after ${grace}, at least ${leastRate} bytes for each further second |`,
    `| Time in which the client reads nothing of a response | at most ${seconds(timeouts.answerIdleMs)} |`,
    `| Rate of reading a response | after ${seconds(timeouts.answerGraceMs)}, at least ${kib(leastReadRate)} for each further second |`,
    `responses over ${kib(smallResponseBytes)} that one process of the service is building, or that clients have not read yet: ${mib(responseBytes * partOfBusiness)} for one business (\`limit\`), ${mib(responseBytes)} for all`,
    `a JSON body as one for each full ${small} |`,
    `wait for their responses: ${mostWaiting} (\`limit\`) may wait`,
    `bodies over ${small} that one process of the service is receiving or processing: ${mib(roomBytes.json * partOfRoom)} for one business (\`limit\`), ${mib(roomBytes.csv * partOfRoom)} for its imports, and four times as much for all businesses`,
    `closed ${seconds(timeouts.keepAliveMs)} after its last response`,
    `nothing has arrived gets 408 after ${headers}`,
  ],
  'docs/errors.md': [
    `Over ${ofHeaders} or ${mostHeaders} headers.`,
    `A body over ${body}; of an import, over ${mib(largestBytes.csv)}, or ${mib(largestJson)} in JSON.`,
    `bodies over ${small} that are in progress`,
    `responses over ${kib(smallResponseBytes)} that are not read`,
    `Headers took over ${headers}, the whole request over ${request},`,
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
