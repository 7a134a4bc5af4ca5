import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { withTimeout } from '../../src/platform/timeout.ts'

describe('A timeout', () => {
  it('does not count a result as late if it arrived while the event loop was blocked', async () => {
    const { port1, port2 } = new MessageChannel()
    const arrival = once(port1, 'message').then(([text]) => text)
    const result = withTimeout(arrival, 10, () => 'late')
    port2.postMessage('on time')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    expect(await result).to.equal('on time')
    port1.close()
  })

  it('ends at once and without a Node.js warning if its time passed while the process was frozen', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    try {
      expect(await withTimeout(once(process, 'never'), -1533.2, () => 'late')).to.equal('late')
      expect(warnings).to.deep.equal([])
    } finally {
      process.off('warning', note)
    }
  })
})
