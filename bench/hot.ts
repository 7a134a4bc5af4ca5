import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const SHOWN = 30

/** Prints the functions in which a process spent its time, in percent of the time it was busy. */
export function printHot(name: string, file: string): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
  const places = new Map(profile.nodes.map((node) => [node.id, placeOf(node.callFrame)]))
  const spent = new Map<string, number>()
  profile.samples.forEach((id, index) => {
    const place = places.get(id) ?? ''
    spent.set(place, (spent.get(place) ?? 0) + (profile.timeDeltas[index] ?? 0))
  })
  const idle = spent.get('(idle)') ?? 0
  spent.delete('(idle)')
  const busy = [...spent.values()].reduce((sum, each) => sum + each, 0)
  console.log(
    `\n${name}: busy ${Math.round((100 * busy) / (busy + idle))} % of the time; self time (${file}):`,
  )
  const hottest = [...spent].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
  for (const [place, micros] of hottest)
    console.log(`${((100 * micros) / busy).toFixed(1).padStart(6)} %  ${place}`)
}

function placeOf({ functionName, url, lineNumber }: CpuProfile['nodes'][0]['callFrame']): string {
  if (url === '') return functionName
  const file = url.startsWith('file:') ? relative('.', fileURLToPath(url)) : url
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`
}
