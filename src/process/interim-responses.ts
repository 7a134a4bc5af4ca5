import type { Socket } from 'node:net'

const maxLength = 16_384
/**
 * Matches the complete interim responses at the start of a text, apart from 101, each with at most 16 KiB. Before a
 * status line, parsers skip empty lines.
 */
const interimResponses = /^(?:[\r\n]*HTTP\/1\.[01] 1(?!01)\d\d(?=[ \r])[^]{0,16384}?\r\n\r\n)*[\r\n]*/
const statusLine = 'HTTP/1.1 100 '

/**
 * Hides the interim responses (1xx) on `socket` from undici, which would destroy the socket at an unsolicited `100
 * Continue`. A 101 is not hidden. Each write to the socket must begin a request, or belong to the one before.
 */
export function skipInterimResponses(socket: Socket): void {
  const { read, write } = socket
  let isAwaiting = false
  let held = ''
  let tail = ''
  Object.assign(socket, {
    write(...args: unknown[]) {
      isAwaiting = true
      return Reflect.apply(write, socket, args)
    },
    read(size?: number) {
      for (;;) {
        const chunk = read.call(socket, size) as Buffer | null
        if (chunk === null || !isAwaiting) return chunk
        const text = tail + chunk.toString('latin1')
        const isWithin = held.length > statusLine.length && held.length < maxLength
        held += text.slice(tail.length)
        tail = text.slice(-3)
        // Bytes may arrive one by one, and matching all that is held again for each of them would be quadratic.
        if (isWithin && !text.includes('\r\n\r\n')) continue
        held = held.replace(interimResponses, '')
        const completed = `${held}${statusLine.slice(held.length)}\r\n\r\n`
        if (completed.replace(interimResponses, '') === '') continue
        const bytes = Buffer.from(held, 'latin1')
        isAwaiting = false
        held = ''
        return bytes
      }
    },
  })
}
