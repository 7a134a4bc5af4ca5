import { connect, type Socket } from 'node:net'
import { type Answer, readAnswer } from './answer.ts'

/** The result of a request without a complete response: the wait in ms, and the bytes that came. */
export interface Nothing {
  none: 'closed' | 'late'
  ms: number
  part: number
}

/** The result of a request. `isRepeated`: sent again, because the kept connection was just being closed. */
export type Came = ({ answer: Answer } | Nothing) & { isRepeated: boolean }

/** A keep-alive connection. */
export interface Line {
  send(bytes: Buffer, isHead: boolean): Promise<Came>
  close(): void
}

const nobody: Came = { none: 'closed', ms: 0, part: 0, isRepeated: false }

/** Longer than the slowest operation, a refund of 20 s. */
export const timeoutMs = 25_000
/** A connection that was closing when the request was written ends within this time. */
const staleMs = 250
const empty = Buffer.alloc(0)

/** A connection, and its unread bytes. */
interface Link {
  socket: Socket
  read: Buffer
  /** Called for new bytes, and at the end. */
  heed(hasEnded: boolean): void
}

const nobodyHeeds = (): void => undefined

export function openLine(port: number): Line {
  let kept: Link | null = null

  async function exchange(link: Link, bytes: Buffer, isHead: boolean): Promise<{ answer: Answer } | Nothing> {
    const { socket } = link
    const startedAt = performance.now()
    const nothing = (none: Nothing['none']): Nothing => ({
      none,
      ms: Math.round(performance.now() - startedAt),
      part: link.read.length,
    })
    return new Promise((resolve) => {
      const settle = (came: { answer: Answer } | Nothing, isOver: boolean): void => {
        clearTimeout(timer)
        Object.assign(link, { read: empty, heed: nobodyHeeds })
        kept = isOver ? null : link
        if (isOver) socket.destroy()
        resolve(came)
      }
      const timer = setTimeout(() => settle(nothing('late'), true), timeoutMs)
      link.heed = (hasEnded) => {
        const found = readAnswer(link.read, isHead, hasEnded)
        if (found === null) return hasEnded ? settle(nothing('closed'), true) : undefined
        const { answer } = found
        settle({ answer }, hasEnded || answer.beyond > 0 || answer.headers.get('connection') === 'close')
      }
      socket.write(bytes)
    })
  }

  return {
    async send(bytes, isHead) {
      // Bytes that came between requests.
      const stray = kept?.read.length ?? 0
      if (stray > 0) kept?.socket.destroy()
      const wasKept = kept !== null && !kept.socket.destroyed
      const link = wasKept ? kept : await dialLink(port)
      if (link === null) return nobody
      const first = await exchange(link, bytes, isHead)
      const fresh = wasKept && isStale(first) ? await dialLink(port) : null
      const came = fresh === null ? first : await exchange(fresh, bytes, isHead)
      const isRepeated = fresh !== null
      if (!('answer' in came)) return { ...came, isRepeated }
      return { answer: { ...came.answer, beyond: came.answer.beyond + stray }, isRepeated }
    },
    close: () => kept?.socket.destroy(),
  }
}

/** The server may close a kept connection just when it is used. Then it ends at once, without a byte. */
const isStale = (came: { answer: Answer } | Nothing): boolean =>
  'none' in came && came.none === 'closed' && came.part === 0 && came.ms < staleMs

async function dialLink(port: number): Promise<Link | null> {
  const socket = await dial(port)
  if (socket === null) return null
  const link: Link = { socket, read: empty, heed: nobodyHeeds }
  socket.on('data', (chunk: Buffer) => {
    link.read = Buffer.concat([link.read, chunk])
    link.heed(false)
  })
  socket.once('close', () => link.heed(true))
  return link
}

/** The responses to raw bytes, and how the connection ended: closed by the server, by the timeout, or by us. */
export interface CameAlone {
  answers: Answer[]
  end: 'closed' | 'late' | 'left'
  ms: number
  /** Bytes of an incomplete response, if there is no complete one. */
  part: number
}

/** The wait for unexpected responses. */
const graceMs = 250

/** Writes bytes on a new connection, waits for the expected number of responses, and closes soon after. */
export async function sendAlone(port: number, bytes: Buffer, asked: number): Promise<CameAlone> {
  const startedAt = performance.now()
  const socket = await dial(port)
  if (socket === null) return { answers: [], end: 'closed', ms: 0, part: 0 }
  let read = empty
  let end: CameAlone['end'] = 'closed'
  const leave = (how: 'late' | 'left'): void => {
    end = how
    socket.destroy()
  }
  let leaving: NodeJS.Timeout | null = null
  const look = (): void => {
    if (leaving === null && allIn(read, false).length >= asked)
      leaving = setTimeout(() => leave('left'), graceMs)
  }
  socket.on('data', (chunk: Buffer) => {
    read = Buffer.concat([read, chunk])
    look()
  })
  socket.write(bytes)
  look()
  const giveUp = setTimeout(() => leave('late'), timeoutMs)
  await new Promise((resolve) => socket.once('close', resolve))
  for (const timer of [leaving, giveUp]) if (timer !== null) clearTimeout(timer)
  const answers = allIn(read, true)
  const part = answers.length === 0 ? read.length : 0
  return { answers, end, ms: Math.round(performance.now() - startedAt), part }
}

function allIn(bytes: Buffer, hasEnded: boolean): Answer[] {
  const found = readAnswer(bytes, false, hasEnded)
  if (found === null) return []
  const later = allIn(bytes.subarray(found.end), hasEnded)
  // Only the last response counts the bytes behind it.
  return later.length === 0 ? [found.answer] : [{ ...found.answer, beyond: 0 }, ...later]
}

/** Null if the server does not listen. */
async function dial(port: number): Promise<Socket | null> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  // `close` follows.
  socket.on('error', () => socket.destroy())
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('close', () => resolve(null))
  })
}
