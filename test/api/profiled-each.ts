import { profiled } from '../support/profiled.ts'
import type { Service } from '../support/service.ts'

/** Runs `work` for each input, with the operations of MongoDB on the collection of this name during it. */
export async function profiledEach<I, T>(service: Service, name: string, all: I[], work: (each: I) => Promise<T>) {
  const results: { input: I; result: T }[] = []
  const operations = await profiled(service, async () => {
    for (const input of all) {
      results.push({ input, result: await work(input) })
      await service.deps.mongo.collection('ends').findOne({})
    }
  })
  return results.map((each) => {
    const end = operations.findIndex(({ ns }) => ns.endsWith('.ends'))
    const ours = operations.splice(0, end + 1).filter(({ ns }) => ns.endsWith(`.${name}`))
    return { ...each, ours, examined: ours.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0) }
  })
}
