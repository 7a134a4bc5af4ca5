import { type Refusal, refuse } from '../../errors.ts'
import type { Connection } from './connection.ts'
import type { HangUp } from './hang-up.ts'
import { afterResponses } from './in-order.ts'

/** An error of the Node.js parser, with the bytes that it parsed last. */
export type ParserFault = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

/** Returns the URL of the request that the parser could not read, if its first line is among the last bytes. */
const urlIn = ({ rawPacket, bytesParsed }: ParserFault): string | undefined =>
  rawPacket
    ?.toString('latin1', 0, bytesParsed)
    .split('\n')
    .findLast((line) => firstLine.test(line))
    ?.split(' ')[1]

const firstLine = /^[A-Z]+ \/\S* HTTP\/1\.\d\r$/

/**
 * Rejects a request that the Node.js parser could not read or that did not arrive in time. The error response is
 * written after the responses to earlier requests.
 */
export function handleParserFault(connection: Connection, hangUp: HangUp, fault: ParserFault): void {
  const { code } = fault
  const { socket, latest, current } = connection
  if (connection.fault !== null || connection.endedAt !== null) return
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = parserRefusal(code)
  connection.fault = refusal
  if (latest === null || latest.req.complete)
    afterResponses(connection, () => hangUp(connection, refusal, urlIn(fault)))
  // An incomplete request that is still waiting will be rejected in in-order.ts, after all earlier responses.
  else if (latest === current) endUnfinished(connection, hangUp, refusal)
}

/** Closes a connection whose current request will never be complete. */
export function endUnfinished(connection: Connection, hangUp: HangUp, refusal: Refusal): void {
  // If a response has already been started, that response does not need the request's body, so no error is written.
  if (connection.current?.headersSent) connection.socket.destroy()
  else hangUp(connection, refusal)
}

function parserRefusal(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('HEADERS_TOO_LARGE')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refuse('PAYLOAD_TOO_LARGE')
  return refuse('VALIDATION_ERROR', { message: 'The request is not valid HTTP.' })
}
