import { expect } from 'chai'
import { query } from '../../dev/servers/query.ts'
import { waitFor } from '../support/wait-for.ts'
import { npm, startCommand } from './command.ts'
import { copyOfDev } from './copy-of-dev.ts'

const LINE =
  /^MONGODB_URL=mongodb:\/\/127\.0\.0\.1:(\d+)\/payment_intents REDIS_URL=redis:\/\/127\.0\.0\.1:(\d+)\n$/

describe('npm run stack', function () {
  this.timeout(60_000)
  let copy: Awaited<ReturnType<typeof copyOfDev>>

  before(async () => {
    copy = await copyOfDev()
    await copy.usePackages()
  })

  after(() => copy.remove())

  async function stack() {
    const command = startCommand(npm('run', '--silent', 'stack'), { cwd: copy.folder })
    // The servers of one that was killed may take their time to end, and two of them to start.
    const line = waitFor('the stack says its line', () => command.said.stdout.includes('\n'), 30_000)
    const ended = command.ended.then(() => expect(command.said.stdout, command.said.stderr).to.match(LINE))
    await Promise.race([line, ended])
    const ports = (LINE.exec(command.said.stdout) ?? []).slice(1).map(Number)
    return {
      ...command,
      ports,
      answers: async () => (await Promise.all(ports.map((port) => query(port)))).map(String),
    }
  }

  it('prints one line, runs once, keeps its data and ends with SIGTERM', async () => {
    const first = await stack()
    expect(first.said.stdout).to.match(LINE)
    expect(await first.answers()).to.deep.equal(['', ''])
    await query(first.ports[1] as number, 'SET kept yes\r\n')

    const second = startCommand(npm('run', '--silent', 'stack'), { cwd: copy.folder })
    expect(await second.ended).to.deep.equal({ code: 1, signal: null })
    expect(second.said.stdout).to.equal('')
    expect(second.said.stderr.trim().split('\n').at(-1))
      .to.match(/^`npm run stack` already runs here/)
      .and.to.contain(first.said.stdout.trim())

    first.kill('SIGTERM')
    expect(await first.ended).to.deep.equal({ code: 0, signal: null })
    expect(await first.answers()).to.deep.equal(['undefined', 'undefined'])

    const third = await stack()
    expect(await query(third.ports[1] as number, 'GET kept\r\n')).to.equal('$3\r\nyes\r\n')
    third.kill('SIGTERM')
    await third.ended
  })

  it('stops its servers also after a kill -9, and starts again at once', async () => {
    const killed = await stack()
    killed.kill('SIGKILL')
    const next = await stack()
    expect(await killed.answers()).to.deep.equal(['undefined', 'undefined'])
    expect(await next.answers()).to.deep.equal(['', ''])
    next.kill('SIGINT')
    expect(await next.ended).to.deep.equal({ code: 0, signal: null })
  })
})
