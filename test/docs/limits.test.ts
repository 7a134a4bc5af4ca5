import { expect } from 'chai'
import { mostHeaders } from '../../src/http/bare-app.ts'
import { largestBytes } from '../../src/http/body.ts'
import { partOfKey, roomBytes, smallBytes } from '../../src/http/body-room.ts'
import { leastRate, leastReadRate } from '../../src/http/connections/cut-slow.ts'
import { mostWaiting } from '../../src/http/connections/in-turn.ts'
import { patience } from '../../src/http/connections/patience.ts'
import { largestJson } from '../../src/http/csv-body.ts'
import { deepest } from '../../src/http/json-body.ts'
import { mostConnections, mostHeaderBytes } from '../../src/http/listen.ts'
import { partOfBusiness, responseBytes, smallResponseBytes } from '../../src/http/responses/budget.ts'
import { textOf } from './pages.ts'

/** As the pages write it: thousands apart. */
const number = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ')
const seconds = (ms: number): string => `${ms / 1000} s`
const kib = (bytes: number): string => `${bytes / 1024} KiB`
const mib = (bytes: number): string => `${bytes / 1024 / 1024} MiB`
const ofHeaders = kib(mostHeaderBytes)
const small = kib(smallBytes)
const body = kib(largestBytes.json)
const headers = seconds(patience.headersMs)
const request = seconds(patience.requestMs)
const grace = seconds(patience.bodyGraceMs)

/** What each page says of the limits of a connection, by the numbers that the service holds to. */
const said: Record<string, string[]> = {
  'docs/api.md': [
    `all headers | ${ofHeaders}, ${mostHeaders} headers |`,
    `| Body | ${body}; of an [import](store.md#csv) ${mib(largestBytes.csv)}, in JSON ${mib(largestJson)} |`,
    `| Nesting of a body | ${deepest} levels |`,
    `| Time of the headers | ${headers} |`,
    `| Time of the whole request | ${request} |`,
    `| Slowness of a body | after ${grace}, ${leastRate} bytes for each second since |`,
    `| Time in which nothing of an answer is taken | ${seconds(patience.answerIdleMs)} |`,
    `| Slowness in reading a response | after ${seconds(patience.answerGraceMs)}, ${kib(leastReadRate)} for each second since |`,
    `responses over ${kib(smallResponseBytes)} that one process of the service makes, or that their clients have not read: ${mib(responseBytes * partOfBusiness)} of one business (\`limit\`), ${mib(responseBytes)} of all`,
    `one connection: ${mostWaiting} (\`limit\`) may wait`,
    `bodies over ${small} that come or are worked on, in one process of the service: of one key (\`limit\`) ${mib(roomBytes.json * partOfKey)}, of imports ${mib(roomBytes.csv * partOfKey)}; of all keys four times`,
    `closed ${seconds(patience.keepAliveMs)} after its last answer`,
    `nothing has come yet is answered 408 after ${headers}`,
  ],
  'docs/errors.md': [
    `Over ${ofHeaders} or ${mostHeaders} headers.`,
    `A body over ${body}; of an import, over ${mib(largestBytes.csv)}, or ${mib(largestJson)} in JSON.`,
    `bodies over ${small} that are under way`,
    `responses over ${kib(smallResponseBytes)} that are not read`,
    `Headers took over ${headers}, the whole request over ${request},`,
  ],
  'docs/decisions.md': [
    `(${ofHeaders} or ${mostHeaders})`,
    `(headers ${headers}, all of it ${request}, a body with less than ${leastRate} bytes for each second after ${grace})`,
    `at most ${mostWaiting} wait`,
    `at most ${mib(roomBytes.json)} of JSON bodies and ${mib(roomBytes.csv)} of imports at once, of one key a quarter`,
    `Bodies up to ${small},`,
    `at most ${mib(responseBytes)} of responses over ${kib(smallResponseBytes)}`,
    `after ${seconds(patience.answerIdleMs)} in which the client takes nothing, or less than ${kib(leastReadRate)} for each second`,
    `read on for up to ${seconds(patience.lingerMs)}`,
    `at most ${number(mostConnections)} connections`,
  ],
}

describe('The limits of a connection', () => {
  for (const [page, sentences] of Object.entries(said))
    it(`are in ${page} as they are`, () => {
      const text = textOf(page).replaceAll(/\s+/g, ' ')
      for (const sentence of sentences) expect(text).to.include(sentence)
    })
})
