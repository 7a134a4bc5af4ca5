import { maxJsonFileBytes } from '../../src/http/body/csv-body.ts'
import { maxJsonNesting } from '../../src/http/body/json-body.ts'
import { maxBodyBytes } from '../../src/http/body/read-body.ts'
import { maxHeaderFields } from '../../src/http/server/bare-app.ts'
import { maxPipelined, minBytesPerSecond } from '../../src/http/server/connection.ts'
import { maxHeaderBytes } from '../../src/http/server/listen.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { tableOf } from '../markdown.ts'

const seconds = (ms: number): string => `${ms / 1000} s`
const kib = (bytes: number): string => `${bytes / 1024} KiB`
const mib = (bytes: number): string => `${bytes / 1024 / 1024} MiB`

export const requestLimitTable = (): string =>
  tableOf(
    ['', 'Limit', 'Beyond it'],
    [
      ['Headers, with the URL', `${kib(maxHeaderBytes)}, ${maxHeaderFields} headers`, 'HEADERS_TOO_LARGE'],
      [
        'Body',
        `${kib(maxBodyBytes.json)}; an import ${mib(maxBodyBytes.csv)}, in JSON ${mib(maxJsonFileBytes)}`,
        'PAYLOAD_TOO_LARGE',
      ],
      ['Nesting of a body', `${maxJsonNesting} levels`, 'INVALID_JSON'],
      ['Time to send the headers', seconds(httpTimeouts.headersMs), 'REQUEST_TIMEOUT'],
      ['Time to send the whole request', seconds(httpTimeouts.requestMs), 'REQUEST_TIMEOUT'],
      ['Pause within a body', seconds(httpTimeouts.bodyStallMs), 'REQUEST_TIMEOUT'],
      [
        `Reading a response, after ${seconds(httpTimeouts.responseGraceMs)}`,
        `at least ${kib(minBytesPerSecond)} a second`,
        'the connection is closed',
      ],
      ['Unanswered requests on a connection', String(maxPipelined), 'it is closed'],
      ['Idle connection', seconds(httpTimeouts.keepAliveMs), 'it is closed'],
    ],
  )
