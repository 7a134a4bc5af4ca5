import { connect, type Socket } from 'node:net'
import { readResponse, type WireResponse } from './response.ts'

export type NoResponse = { none: 'closed' | 'late'; ms: number; part: number }

/** `isRepeated`: the kept connection was closing, so the request was repeated on a new one. */
export type Result = Outcome & { isRepeated: boolean }
type Outcome = { response: WireResponse } | NoResponse
export type Connection = { send(bytes: Buffer, isHead: boolean): Promise<Result>; close(): void }
const unreachable: Result = { none: 'closed', ms: 0, part: 0, isRepeated: false }

/** Longer than the slowest operation, a 25 s long poll of the event feed. */
export const timeoutMs = 30_000
const staleMs = 250
const empty = Buffer.alloc(0)
type Link = { socket: Socket; read: Buffer; onChange(hasEnded: boolean): void }
const ignore = (): void => undefined

export function openConnection(port: number): Connection {
  let kept: Link | null = null
  async function exchange(link: Link, bytes: Buffer, isHead: boolean): Promise<Outcome> {
    const { socket } = link
    const startedAt = performance.now()
    const missing = (none: NoResponse['none']): NoResponse => ({
      none,
      ms: Math.round(performance.now() - startedAt),
      part: link.read.length,
    })
    return new Promise((resolve) => {
      const settle = (result: Outcome, isOver: boolean): void => {
        clearTimeout(timer)
        Object.assign(link, { read: empty, onChange: ignore })
        kept = isOver ? null : link
        if (isOver) socket.destroy()
        resolve(result)
      }
      const timer = setTimeout(() => settle(missing('late'), true), timeoutMs)
      link.onChange = (hasEnded) => {
        const found = readResponse(link.read, isHead, hasEnded)
        if (found === null) return hasEnded ? settle(missing('closed'), true) : undefined
        const { response } = found
        const isLast = response.headers.get('connection') === 'close'
        settle({ response }, hasEnded || response.beyond > 0 || isLast)
      }
      socket.write(bytes)
    })
  }
  return {
    async send(bytes, isHead) {
      const stray = kept?.read.length ?? 0
      if (stray > 0) kept?.socket.destroy()
      const wasKept = kept !== null && !kept.socket.destroyed
      const link = wasKept ? kept : await dialLink(port)
      if (link === null) return unreachable
      const first = await exchange(link, bytes, isHead)
      const fresh = wasKept && isStale(first) ? await dialLink(port) : null
      const result = fresh === null ? first : await exchange(fresh, bytes, isHead)
      const isRepeated = fresh !== null
      if (!('response' in result)) return { ...result, isRepeated }
      return { response: { ...result.response, beyond: result.response.beyond + stray }, isRepeated }
    },
    close: () => kept?.socket.destroy(),
  }
}

const isStale = (result: Outcome): boolean =>
  'none' in result && result.none === 'closed' && result.part === 0 && result.ms < staleMs

async function dialLink(port: number): Promise<Link | null> {
  const socket = await dial(port)
  if (socket === null) return null
  const link: Link = { socket, read: empty, onChange: ignore }
  socket.on('data', (chunk: Buffer) => {
    link.read = Buffer.concat([link.read, chunk])
    link.onChange(false)
  })
  socket.once('close', () => link.onChange(true))
  return link
}

const graceMs = 250

export async function sendAlone(port: number, bytes: Buffer, expected: number) {
  const startedAt = performance.now()
  const socket = await dial(port)
  if (socket === null) return { responses: [], end: 'closed' as const, ms: 0, part: 0 }
  let read = empty
  let end = 'closed' as 'closed' | 'late' | 'left'
  const leave = (how: 'late' | 'left'): void => {
    end = how
    socket.destroy()
  }
  let leaving: NodeJS.Timeout | null = null
  const leaveIfComplete = (): void => {
    if (leaving === null && responsesIn(read, false).length >= expected)
      leaving = setTimeout(() => leave('left'), graceMs)
  }
  socket.on('data', (chunk: Buffer) => {
    read = Buffer.concat([read, chunk])
    leaveIfComplete()
  })
  socket.write(bytes)
  leaveIfComplete()
  const timeout = setTimeout(() => leave('late'), timeoutMs)
  await new Promise((resolve) => socket.once('close', resolve))
  for (const timer of [leaving, timeout]) if (timer !== null) clearTimeout(timer)
  const responses = responsesIn(read, true)
  const part = responses.length === 0 ? read.length : 0
  return { responses, end, ms: Math.round(performance.now() - startedAt), part }
}

function responsesIn(bytes: Buffer, hasEnded: boolean): WireResponse[] {
  const found = readResponse(bytes, false, hasEnded)
  if (found === null) return []
  const later = responsesIn(bytes.subarray(found.end), hasEnded)
  return later.length === 0 ? [found.response] : [{ ...found.response, beyond: 0 }, ...later]
}

async function dial(port: number): Promise<Socket | null> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => socket.destroy())
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('close', () => resolve(null))
  })
}
