import { expect } from 'chai'
import { query } from '../../dev/servers/query.ts'
import { npm } from '../../dev/setup/run.mjs'
import { waitFor } from '../support/wait-for.ts'
import { startCommand } from './command.ts'
import { withCopyOfDev } from './copy-of-dev.ts'

const LINE =
  /^MONGODB_URL=mongodb:\/\/127\.0\.0\.1:(\d+)\/payment_intents\?replicaSet=rs REDIS_URL=redis:\/\/127\.0\.0\.1:(\d+)\n$/

describe('npm run stack', function () {
  this.timeout(60_000)
  const copy = withCopyOfDev()
  before(() => copy.usePackages())

  const throughNpm = npm(process.execPath, 'run', '--silent', 'stack')

  async function stack(words: [string, ...string[]] = [process.execPath, 'dev/setup.mjs', 'stack']) {
    const command = startCommand(words, { cwd: copy.folder })
    // A killed stack's servers need time to end, and new ones time to start.
    const line = waitFor('the line of the stack', () => command.output.stdout.includes('\n'), 30_000)
    const ended = command.ended.then(() =>
      expect(command.output.stdout, command.output.stderr).to.match(LINE),
    )
    await Promise.race([line, ended])
    const ports = (LINE.exec(command.output.stdout) ?? []).slice(1).map(Number)
    const responses = async () => (await Promise.all(ports.map((port) => query(port)))).map(String)
    const gone = () =>
      waitFor('no server', async () => (await responses()).every((response) => response === 'undefined'))
    return { ...command, ports, responses, gone }
  }

  it('keeps its data across restarts, and refuses to run twice', async () => {
    const first = await stack()
    expect(first.output.stdout).to.match(LINE)
    expect(await first.responses()).to.deep.equal(['', ''])
    await query(first.ports[1] as number, 'SET kept yes\r\n')

    const second = startCommand(throughNpm, { cwd: copy.folder })
    expect(await second.ended).to.deep.equal({ code: 1, signal: null })
    expect(second.output.stdout).to.equal('')
    expect(second.output.stderr.trim().split('\n').at(-1))
      .to.match(/^`npm run stack` already runs here/)
      .and.to.contain(first.output.stdout.trim())

    first.kill('SIGTERM')
    expect(await first.ended).to.deep.equal({ code: 0, signal: null })
    expect(await first.responses()).to.deep.equal(['undefined', 'undefined'])

    const third = await stack(throughNpm)
    expect(await query(third.ports[1] as number, 'GET kept\r\n')).to.equal('$3\r\nyes\r\n')
    third.kill('SIGTERM')
    await third.gone()
  })
})
