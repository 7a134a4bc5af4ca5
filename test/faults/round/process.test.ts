import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { openProcess, type ServiceProcess } from './process.ts'

/** Says that it serves, and a moment later that it does at a point what it was told to; POINT: the deed. */
const program = `
process.on('SIGTERM', () => process.exit(0))
console.log('{"msg":"web.started"}')
if (process.env.POINT) setTimeout(() => {
  console.log(JSON.stringify({ msg: 'fault.point', point: 'create.inserted', deed: process.env.POINT, began: 4711 }))
  process.kill(process.pid, process.env.POINT === 'kill' ? 'SIGKILL' : 'SIGSTOP')
}, 100)
setInterval(() => {}, 1000)
`

describe('A process of a round of faults', () => {
  let build: string
  const unwanted: string[] = []
  before(() => {
    build = mkdtempSync(join(tmpdir(), 'build-'))
    mkdirSync(join(build, 'src'))
    writeFileSync(join(build, 'src/server.js'), program)
  })
  after(() => rmSync(build, { recursive: true }))

  const open = (environment: Record<string, string>): ServiceProcess =>
    openProcess({
      name: 'web-1',
      build,
      environment,
      logFile: join(build, 'web-1.log'),
      tellUnwanted: (says) => unwanted.push(says),
      tellStray: () => undefined,
    })

  it('serves neither while it stands still nor when it is dead', async () => {
    const web = open({})
    expect(web.freeze()).to.equal(false)
    await web.start()
    expect(web.isServing()).to.equal(true)
    expect([web.freeze(), web.isServing()]).to.deep.equal([true, false])
    // Whoever is to serve is helped on.
    await web.start()
    expect(web.isServing()).to.equal(true)
    expect(await web.kill()).to.equal(true)
    expect([await web.kill(), web.isServing()]).to.deep.equal([false, false])
    await web.start()
    await web.end()
    expect(unwanted).to.deep.equal([])
  })

  it('does not serve while it stands still at a point', async () => {
    const web = open({ POINT: 'stop' })
    await web.start()
    expect(await web.comesToPoint(5000)).to.include({ point: 'create.inserted', began: 4711 })
    expect(web.isServing()).to.equal(false)
    web.thaw()
    expect(web.isServing()).to.equal(true)
    await web.close()
    await until('it is dead', () => !web.isServing())
  })

  it('says of a point when it came there, not when it was found dead', async () => {
    const web = open({ POINT: 'kill' })
    await web.start()
    const reached = await web.comesToPoint(5000)
    expect(reached).to.include({ point: 'create.inserted', deed: 'kill', began: 4711 })
    expect(await web.kill()).to.equal(false)
    await web.close()
  })
})
