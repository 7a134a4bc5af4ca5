import { connect, type Socket } from 'node:net'
import { type Answer, readAnswer } from './answer.ts'

/** How a request went without an answer: after how many ms, and how many bytes of one came all the same. */
export interface Nothing {
  none: 'closed' | 'late'
  ms: number
  part: number
}

/** What came of a request, and whether it was sent again for that: the connection that was kept for it was closed. */
export type Came = ({ answer: Answer } | Nothing) & { isRepeated: boolean }

/** One connection that is used again, as a merchant's server does. */
export interface Line {
  send(bytes: Buffer, isHead: boolean): Promise<Came>
  close(): void
}

const nobody: Came = { none: 'closed', ms: 0, part: 0, isRepeated: false }

/** Longer than any operation may take (a refund: 20 s). */
export const timeoutMs = 25_000
/** A close that was under way when the request was written shows so soon. */
const staleMs = 250
const empty = Buffer.alloc(0)

/** A connection, and what came on it that no answer has taken yet. */
interface Link {
  socket: Socket
  read: Buffer
  /** Called when more has come, and when it has ended. */
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
      // What came while nothing was asked.
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

/** A kept connection may be closed in the very moment in which it is used: then nothing comes at all, and that at once. */
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

/** What came of bytes: every answer, and whether the other side closed, nobody hung up in time, or nothing more was waited for. */
export interface CameAlone {
  answers: Answer[]
  end: 'closed' | 'late' | 'left'
  ms: number
  /** Bytes that came and are no answer, where there is none. */
  part: number
}

/** So long is waited for what should not come any more. */
const graceMs = 250

/** Writes bytes on a connection of their own, waits for as many answers as they ask for and leaves soon after. */
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
  // What is behind it is the matter of the last one.
  return later.length === 0 ? [found.answer] : [{ ...found.answer, beyond: 0 }, ...later]
}

/** Null where nobody listens any more. */
async function dial(port: number): Promise<Socket | null> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  // A reset tells nothing that the close after it does not tell.
  socket.on('error', () => socket.destroy())
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('close', () => resolve(null))
  })
}
