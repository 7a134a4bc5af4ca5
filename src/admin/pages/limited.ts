import type { Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { staffOf } from './guards.ts'

/**
 * Serves a page that lists, counts or searches documents, subject to the concurrency limits for lists. Each member of
 * staff gets a share of the slots, just as each business does.
 */
export const limited =
  (deps: Deps) =>
  <Params>(page: (deps: Deps) => (req: Request<Params>, res: Response) => Promise<void>) =>
  (req: Request<Params>, res: Response): Promise<void> =>
    deps.lists.run(`staff ${staffOf(res).name}`, (models) => page({ ...deps, ...models })(req, res))
