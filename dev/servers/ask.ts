import { connect } from 'node:net'

/** The first words that the server on this port says to `question`; without a question, '' once it accepts. */
export function ask(port: number, question?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 })
    const done = (answer?: string) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => (question === undefined ? done('') : socket.write(question)))
    socket.on('data', (bytes) => done(bytes.toString()))
    for (const event of ['timeout', 'error', 'close']) socket.on(event, () => done())
  })
}
