import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import type { Express, Request, Response } from 'express'
import { type ErrorCode, type Refusal, refuse } from '../../platform/errors.ts'
import type { EarlyResponse } from '../responses/envelope.ts'
import type { HttpTimeouts } from './timeouts.ts'

/** No real client sends more requests before it reads a response. */
export const maxPipelined = 10

export type TrackedResponse = ServerResponse & {
  locals?: {
    requestId?: string | undefined
    refusal?: Refusal
    code?: ErrorCode | null
    written?: EarlyResponse
  }
}

/** All times are `performance.now()` values. */
export const trackConnection = (app: Express, socket: Socket) => ({
  app,
  socket,
  due: [] as TrackedResponse[],
  /** Includes requests that will never get a response. */
  unanswered: 0,
  /** Only the newest request can still be arriving. */
  latest: null as TrackedResponse | null,
  /** Why we stopped reading requests. */
  fault: null as { refusal: Refusal; url: string | undefined } | null,
  bytesRead: 0,
  progressAt: 0,
  bytesWritten: 0,
  sending: null as TrackedResponse | null,
  sendingSince: 0,
  writtenBefore: 0,
  idleSince: null as number | null,
})

export type ClientConnection = ReturnType<typeof trackConnection>

/** After an error, Node.js still parses further requests. */
export function acceptRequest(connection: ClientConnection, reply: TrackedResponse): boolean {
  const { socket, due } = connection
  connection.unanswered += 1
  if (connection.unanswered > maxPipelined) socket.destroy()
  if (connection.fault !== null || !socket.writable || due.some(isLast)) return false
  due.push(reply)
  connection.latest = reply
  connection.idleSince = null
  reply.once('close', () => {
    connection.unanswered -= 1
    due.splice(due.indexOf(reply), 1)
    respondToFault(connection)
  })
  return true
}

const isLast = (reply: TrackedResponse): boolean =>
  !reply.shouldKeepAlive || reply.getHeader('Connection') === 'close'

/** Closes the connection once all due responses are sent. */
export function closeWithRefusal(connection: ClientConnection, refusal: Refusal, url?: string): void {
  connection.fault ??= { refusal, url }
  respondToFault(connection)
}

function respondToFault(connection: ClientConnection): void {
  const { socket, due, latest, fault } = connection
  const unfinished = latest?.req.complete === false ? latest : null
  if (fault === null || !socket.writable || due.some((reply) => reply !== unfinished)) return
  if (unfinished?.headersSent) {
    if (!unfinished.closed) return
    socket.end()
  } else {
    socket.end(render(connection, fault, unfinished))
  }
  connection.idleSince = null
}

const maxErrorBytes = 1024 * 1024
/** Stands in for an unknown URL, so that the error is sent as JSON. */
export const unknownRequestUrl = '/api'

/** The app renders the error, so a request for a page gets an error page. */
function render(
  { app, socket }: ClientConnection,
  { refusal, url }: NonNullable<ClientConnection['fault']>,
  unfinished: TrackedResponse | null,
): Buffer {
  const begun = unfinished?.req as Partial<Request> | undefined
  const req = new IncomingMessage(socket)
  const target = url ?? begun?.originalUrl ?? begun?.url ?? ''
  req.url = target.startsWith('/') ? target : unknownRequestUrl
  // A proxy's own address must not be logged as the client's.
  req.headers = begun?.headers ?? { 'x-forwarded-for': '' }
  req.complete = true
  const locals: NonNullable<TrackedResponse['locals']> = { requestId: unfinished?.locals?.requestId, refusal }
  const res = Object.assign(new ServerResponse(req), { locals })
  res.shouldKeepAlive = false
  const wire = new PassThrough({ highWaterMark: maxErrorBytes })
  res.assignSocket(wire as unknown as Socket)
  res.once('finish', () => wire.destroy())
  void app(req as Request, res as Response)
  const written = { status: res.statusCode, code: locals.code ?? null, at: performance.now() }
  if (unfinished?.locals) unfinished.locals.written = written
  return wire.read() as Buffer
}

export type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

/** Finds the URL if the parser has just read the request line. */
export const findRequestUrl = ({ rawPacket, bytesParsed }: ParserError): string | undefined =>
  rawPacket
    ?.toString('latin1', 0, bytesParsed)
    .split('\n')
    .findLast((line) => firstLine.test(line))
    ?.split(' ')[1]

const firstLine = /^[A-Z]+ \/\S* HTTP\/1\.\d\r$/

export function parserRefusal({ code }: ParserError): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('HEADERS_TOO_LARGE')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refuse('PAYLOAD_TOO_LARGE')
  return refuse('VALIDATION_ERROR', { message: 'The request is not valid HTTP.' })
}

/** Even the slowest mobile networks are faster than this. */
export const minBytesPerSecond = 16 * 1024

type Cut = (connection: ClientConnection, timeouts: HttpTimeouts, at: number) => void

export const cutSlowClient: Cut = (connection, timeouts, at) => {
  cutSlowBody(connection, timeouts, at)
  cutSlowReader(connection, timeouts, at)
  cutIdle(connection, timeouts, at)
}

const cutSlowBody: Cut = (connection, { bodyStallMs }, at) => {
  const { socket, latest } = connection
  // If the socket is paused, it's waiting for us, not for the client.
  if (socket.bytesRead !== connection.bytesRead || socket.isPaused()) {
    connection.bytesRead = socket.bytesRead
    connection.progressAt = at
  } else if (latest?.req.complete === false && at - connection.progressAt > bodyStallMs)
    closeWithRefusal(connection, refuse('REQUEST_TIMEOUT'))
}

const cutSlowReader: Cut = (connection, { responseIdleMs, responseGraceMs }, at) => {
  const { socket, due } = connection
  const sending = due[0]?.headersSent ? due[0] : null
  if (sending !== connection.sending) {
    connection.sending = sending
    connection.sendingSince = at
    connection.writtenBefore = connection.bytesWritten
    // With this timeout, Node.js closes the socket if the client stops reading.
    if (due.length > 0) socket.setTimeout(sending === null ? 0 : responseIdleMs)
  }
  connection.bytesWritten = socket.bytesWritten
  if (sending === null) return
  const seconds = (at - connection.sendingSince - responseGraceMs) / 1000
  // If the buffer is empty, the client is waiting for us.
  const written = socket.bytesWritten - connection.writtenBefore
  if (socket.writableLength > 0 && written < seconds * minBytesPerSecond) socket.destroy()
}

const cutIdle: Cut = (connection, { lingerMs, keepAliveMs, headersMs }, at) => {
  if (connection.due.length > 0) return
  // Node.js restarts its own timeout on each empty line.
  connection.idleSince ??= at
  const limitMs = connection.socket.writableEnded ? lingerMs : keepAliveMs + headersMs
  if (at - connection.idleSince > limitMs) connection.socket.destroy()
}
