import { connect, type Socket } from 'node:net'
import { type Answer, readAnswer } from './answer.ts'

/** What came of a request: its answer, or how it went without one. */
export type Came = { answer: Answer; ms: number } | { none: 'closed' | 'late'; ms: number }

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
        settle({ answer, ms: taken() }, hasEnded || answer.headers.get('connection') === 'close')
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

/** Writes bytes on a connection of their own, closes its side soon after, and answers all answers. */
export async function sendAlone(
  port: number,
  bytes: Buffer,
): Promise<{ answers: Answer[]; isLate: boolean }> {
  const socket = await dial(port)
  if (socket === null) return { answers: [], isLate: false }
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(bytes)
  const leaving = setTimeout(() => socket.end(), 250)
  let isLate = false
  const giveUp = setTimeout(() => {
    isLate = true
    socket.destroy()
  }, patienceMs)
  await new Promise((resolve) => socket.once('close', resolve))
  clearTimeout(leaving)
  clearTimeout(giveUp)
  return { answers: allIn(Buffer.concat(chunks)), isLate }
}

function allIn(bytes: Buffer): Answer[] {
  const found = readAnswer(bytes, false, true)
  return found === null ? [] : [found.answer, ...allIn(bytes.subarray(found.end))]
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
