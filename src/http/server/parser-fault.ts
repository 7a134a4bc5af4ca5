import { type Refusal, refuse } from '../../errors.ts'
import type { Connection } from './connection.ts'
import type { HangUp } from './hang-up.ts'
import { afterResponses } from './in-order.ts'

/** Answers what Node's parser could not read, or did not get in time: in its place after the requests before it, which are done. */
export function handleParserFault(connection: Connection, hangUp: HangUp, code: string | undefined): void {
  const { socket, latest, current } = connection
  if (connection.fault !== null || connection.endedAt !== null) return
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = parserRefusal(code)
  connection.fault = refusal
  if (latest === null || latest.req.complete) afterResponses(connection, () => hangUp(connection, refusal))
  // Of a request that waits, its turn will tell.
  else if (latest === current) endUnfinished(connection, hangUp, refusal)
}

/** Ends a connection of whose current request the rest will never come. */
export function endUnfinished(connection: Connection, hangUp: HangUp, refusal: Refusal): void {
  // It was answered without its body.
  if (connection.current?.headersSent) connection.socket.destroy()
  else hangUp(connection, refusal)
}

function parserRefusal(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('HEADERS_TOO_LARGE')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refuse('PAYLOAD_TOO_LARGE')
  return refuse('VALIDATION_ERROR', { message: 'The request is not valid HTTP.' })
}
