import { largestJson } from '../../src/http/body/csv-body.ts'
import { deepest } from '../../src/http/body/json-body.ts'
import { largestBytes } from '../../src/http/body/read-body.ts'
import { mostHeaders } from '../../src/http/server/bare-app.ts'
import { leastRate, leastReadRate } from '../../src/http/server/cut-slow.ts'
import { mostHeaderBytes } from '../../src/http/server/listen.ts'
import { timeouts } from '../../src/http/server/timeouts.ts'
import { tableOf } from '../markdown.ts'

const seconds = (ms: number): string => `${ms / 1000} s`
const kib = (bytes: number): string => `${bytes / 1024} KiB`
const mib = (bytes: number): string => `${bytes / 1024 / 1024} MiB`

/** The limits of one request and its connection. */
export const table = (): string =>
  tableOf(
    ['', 'Limit', 'Beyond it'],
    [
      ['Headers, with the URL', `${kib(mostHeaderBytes)}, ${mostHeaders} headers`, 'HEADERS_TOO_LARGE'],
      [
        'Body',
        `${kib(largestBytes.json)}; an import ${mib(largestBytes.csv)}, in JSON ${mib(largestJson)}`,
        'PAYLOAD_TOO_LARGE',
      ],
      ['Nesting of a body', `${deepest} levels`, 'INVALID_JSON'],
      ['Time to send the headers', seconds(timeouts.headersMs), 'REQUEST_TIMEOUT'],
      ['Time to send the whole request', seconds(timeouts.requestMs), 'REQUEST_TIMEOUT'],
      [
        `Sending a body, after ${seconds(timeouts.bodyGraceMs)}`,
        `at least ${leastRate} bytes a second`,
        'REQUEST_TIMEOUT',
      ],
      [
        `Reading a response, after ${seconds(timeouts.answerGraceMs)}`,
        `at least ${kib(leastReadRate)} a second`,
        'the connection is closed',
      ],
      ['Idle connection', seconds(timeouts.keepAliveMs), 'it is closed'],
    ],
  )
