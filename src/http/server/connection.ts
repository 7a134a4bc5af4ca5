import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import type { Express, Request, Response } from 'express'
import { type ErrorCode, type Refusal, refuse } from '../../platform/errors.ts'
import type { WrittenEarly } from '../responses/envelope.ts'
import type { Timeouts } from './timeouts.ts'

/** Requests on one connection that may be waiting for their responses. No real client sends more before it reads. */
export const maxUnanswered = 10

/** The app sets `locals` when it starts to handle the request. */
export type TrackedResponse = ServerResponse & {
  locals?: {
    requestId?: string | undefined
    refusal?: Refusal
    code?: ErrorCode | null
    written?: WrittenEarly
  }
}

/** All times are `performance.now()` values. */
export const trackConnection = (app: Express, socket: Socket) => ({
  app,
  socket,
  /** Not sent yet, in the order of their requests. */
  due: [] as TrackedResponse[],
  /** Requests without a response, including those that will never get one. */
  unanswered: 0,
  /** Reply to the newest request. Only this request can be incomplete. */
  latest: null as TrackedResponse | null,
  /** Why no further request is read, and the URL of the faulty request if it is known but hasn't started. */
  fault: null as { refusal: Refusal; url: string | undefined } | null,
  // What `cutSlow` has seen so far.
  bytesRead: 0,
  progressAt: 0,
  bytesWritten: 0,
  /** The reply that the client is reading, since when, and how many bytes were written before it. */
  sending: null as TrackedResponse | null,
  sendingSince: 0,
  writtenBefore: 0,
  /** Null while a reply is due. */
  idleSince: null as number | null,
})

export type ClientConnection = ReturnType<typeof trackConnection>

/**
 * Whether to serve a request. After a fault, or a response that closes the connection, no response could be sent any
 * more, but Node.js still parses the requests that have arrived.
 */
export function acceptRequest(connection: ClientConnection, reply: TrackedResponse): boolean {
  const { socket, due } = connection
  connection.unanswered += 1
  if (connection.unanswered > maxUnanswered) socket.destroy()
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

/**
 * Closes a connection that can't be read any further, with an error response after those that are due. `url` is that of
 * a request that hasn't started. Only the first call counts.
 */
export function hangUp(connection: ClientConnection, refusal: Refusal, url?: string): void {
  connection.fault ??= { refusal, url }
  respondToFault(connection)
}

function respondToFault(connection: ClientConnection): void {
  const { socket, due, latest, fault } = connection
  const unfinished = latest?.req.complete === false ? latest : null
  if (fault === null || !socket.writable || due.some((reply) => reply !== unfinished)) return
  // A response that has been started doesn't need the rest of its request.
  if (unfinished?.headersSent) {
    if (!unfinished.closed) return
    socket.end()
  } else {
    socket.end(render(connection, fault, unfinished))
  }
  connection.idleSince = null
}

/** No error page is that large. */
const maxErrorBytes = 1024 * 1024
/** For a request whose URL is unknown: errors under this one have the envelope. */
export const unknownUrl = '/api'

/**
 * Renders the error response to a request that's incomplete or hasn't started. The app does it as for a complete
 * request, so pages have error pages. If the request has started, its own log line reports the response.
 */
function render(
  { app, socket }: ClientConnection,
  { refusal, url }: NonNullable<ClientConnection['fault']>,
  unfinished: TrackedResponse | null,
): Buffer {
  const begun = unfinished?.req as Partial<Request> | undefined
  const req = new IncomingMessage(socket)
  // Express shortens `url` within a router.
  const target = url ?? begun?.originalUrl ?? begun?.url ?? ''
  req.url = target.startsWith('/') ? target : unknownUrl
  // We don't know what a proxy has reported, and its own address must not be logged as the client's.
  req.headers = begun?.headers ?? { 'x-forwarded-for': '' }
  req.complete = true
  const locals: NonNullable<TrackedResponse['locals']> = { requestId: unfinished?.locals?.requestId, refusal }
  const res = Object.assign(new ServerResponse(req), { locals })
  res.shouldKeepAlive = false
  const wire = new PassThrough({ highWaterMark: maxErrorBytes })
  res.assignSocket(wire as unknown as Socket)
  res.once('finish', () => wire.destroy())
  // The app throws the refusal at once, so it has rendered the response when it returns.
  void app(req as Request, res as Response)
  const written = { status: res.statusCode, code: locals.code ?? null, at: performance.now() }
  if (unfinished?.locals) unfinished.locals.written = written
  return wire.read() as Buffer
}

/** With the bytes that Node.js parsed last. */
export type ParserFault = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

/** URL of the request that the parser couldn't read, if its first line is among the last bytes. */
export const urlOfFault = ({ rawPacket, bytesParsed }: ParserFault): string | undefined =>
  rawPacket
    ?.toString('latin1', 0, bytesParsed)
    .split('\n')
    .findLast((line) => firstLine.test(line))
    ?.split(' ')[1]

const firstLine = /^[A-Z]+ \/\S* HTTP\/1\.\d\r$/

/** For a request that the parser couldn't read, or that didn't arrive in time. */
export function refusalOf({ code }: ParserFault): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('HEADERS_TOO_LARGE')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refuse('PAYLOAD_TOO_LARGE')
  return refuse('VALIDATION_ERROR', { message: 'The request is not valid HTTP.' })
}

/**
 * Bytes per second. Even the slowest mobile networks are faster, and load any customer page within the grace period. A
 * client below this is tying up memory or a MongoDB cursor on purpose.
 */
export const minResponseRate = 16 * 1024

/** For clients that send or read too slowly, or idle for too long. `at` is `performance.now()`. */
export function cutSlow(connection: ClientConnection, timeouts: Timeouts, at: number): void {
  cutSlowBody(connection, timeouts, at)
  cutSlowReader(connection, timeouts, at)
  cutIdle(connection, timeouts, at)
}

function cutSlowBody(connection: ClientConnection, { bodyStallMs }: Timeouts, at: number): void {
  const { socket, latest } = connection
  // A paused socket waits for this process, not for the client.
  if (socket.bytesRead !== connection.bytesRead || socket.isPaused()) {
    connection.bytesRead = socket.bytesRead
    connection.progressAt = at
  } else if (latest?.req.complete === false && at - connection.progressAt > bodyStallMs)
    hangUp(connection, refuse('REQUEST_TIMEOUT'))
}

function cutSlowReader(
  connection: ClientConnection,
  { responseIdleMs, responseGraceMs }: Timeouts,
  at: number,
): void {
  const { socket, due } = connection
  const sending = due[0]?.headersSent ? due[0] : null
  if (sending !== connection.sending) {
    connection.sending = sending
    connection.sendingSince = at
    connection.writtenBefore = connection.bytesWritten
    // While it is set, Node.js closes the socket if the client reads nothing for this long.
    if (due.length > 0) socket.setTimeout(sending === null ? 0 : responseIdleMs)
  }
  connection.bytesWritten = socket.bytesWritten
  if (sending === null) return
  const seconds = (at - connection.sendingSince - responseGraceMs) / 1000
  // `bytesWritten` includes buffered bytes, so a response written in one piece gets enough time for all of them. With
  // an empty buffer, the client isn't slow but waiting for us.
  const written = socket.bytesWritten - connection.writtenBefore
  if (socket.writableLength > 0 && written < seconds * minResponseRate) socket.destroy()
}

function cutIdle(
  connection: ClientConnection,
  { lingerMs, keepAliveMs, headersMs }: Timeouts,
  at: number,
): void {
  if (connection.due.length > 0) return
  // Measured here, because Node.js restarts its own timeout whenever it receives an empty line. The headers of a
  // request that starts in time may take `headersMs` more to arrive.
  connection.idleSince ??= at
  const limitMs = connection.socket.writableEnded ? lingerMs : keepAliveMs + headersMs
  if (at - connection.idleSince > limitMs) connection.socket.destroy()
}
