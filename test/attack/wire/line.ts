import { connect, type Socket } from 'node:net'
import { type Answer, readAnswer } from './answer.ts'

/** What came of a request: its answer, or how it went without one, after how many ms. */
export type Came = { answer: Answer } | { none: 'closed' | 'late'; ms: number }

/** One connection that is used again, as a merchant's server does. */
export interface Line {
  send(bytes: Buffer, isHead: boolean): Promise<Came>
  close(): void
}

const nobody: Came = { none: 'closed', ms: 0 }

/** Longer than any operation may take (a refund: 20 s). */
export const patienceMs = 25_000

export function openLine(port: number): Line {
  let kept: Socket | null = null

  async function exchange(socket: Socket, bytes: Buffer, isHead: boolean): Promise<Came> {
    const startedAt = performance.now()
    const taken = (): number => Math.round(performance.now() - startedAt)
    return new Promise((resolve) => {
      let read = Buffer.alloc(0)
      const settle = (came: Came, isOver: boolean): void => {
        socket.removeAllListeners('data').removeAllListeners('close')
        clearTimeout(timer)
        kept = isOver ? null : socket
        if (isOver) socket.destroy()
        resolve(came)
      }
      const look = (hasEnded: boolean): void => {
        const found = readAnswer(read, isHead, hasEnded)
        if (found === null) return
        const { answer } = found
        settle({ answer }, hasEnded || answer.headers.get('connection') === 'close')
      }
      const timer = setTimeout(() => settle({ none: 'late', ms: taken() }, true), patienceMs)
      socket.on('data', (chunk: Buffer) => {
        read = Buffer.concat([read, chunk])
        look(false)
      })
      socket.once('close', () => {
        look(true)
        settle({ none: 'closed', ms: taken() }, true)
      })
      socket.write(bytes)
    })
  }

  return {
    async send(bytes, isHead) {
      const wasKept = kept !== null && !kept.destroyed
      const socket = wasKept ? kept : await dial(port)
      if (socket === null) return nobody
      const came = await exchange(socket, bytes, isHead)
      // A kept connection may be closed in the very moment in which it is used.
      const isStale = wasKept && 'none' in came && came.none === 'closed'
      const fresh = isStale ? await dial(port) : null
      return fresh === null ? came : exchange(fresh, bytes, isHead)
    },
    close: () => kept?.destroy(),
  }
}

/** What came of bytes: every answer, and whether the other side closed, nobody hung up in time, or nothing more was waited for. */
export interface CameAlone {
  answers: Answer[]
  end: 'closed' | 'late' | 'left'
  ms: number
}

/** So long is waited for what should not come any more. */
const graceMs = 250

/** Writes bytes on a connection of their own, waits for as many answers as they ask for and leaves soon after. */
export async function sendAlone(port: number, bytes: Buffer, asked: number): Promise<CameAlone> {
  const startedAt = performance.now()
  const socket = await dial(port)
  if (socket === null) return { answers: [], end: 'closed', ms: 0 }
  let read = Buffer.alloc(0)
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
  const giveUp = setTimeout(() => leave('late'), patienceMs)
  await new Promise((resolve) => socket.once('close', resolve))
  for (const timer of [leaving, giveUp]) if (timer !== null) clearTimeout(timer)
  return { answers: allIn(read, true), end, ms: Math.round(performance.now() - startedAt) }
}

function allIn(bytes: Buffer, hasEnded: boolean): Answer[] {
  const found = readAnswer(bytes, false, hasEnded)
  return found === null ? [] : [found.answer, ...allIn(bytes.subarray(found.end), hasEnded)]
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
