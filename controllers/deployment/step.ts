/** What a deployment's plan can ask for; steps.ts carries it out. Types only. */

export type Step =
  | { do: 'startBuild' }
  | { do: 'forgetBuild' }
  /** `of`: the deployment that has it, in words. */
  | { do: 'tagImage'; image: string }
  | { do: 'runReleaseJob'; job: string }
  | { do: 'stopReleaseJob'; run: string }
  | { do: 'createReplica'; epoch: number; index: number; subnet: string; image: string }
  | { do: 'removeReplica'; id: string }
  /** Stops, and keeps, what must not run beside this epoch of it. */
  | { do: 'pauseOthers'; epoch: number }
  | { do: 'resume'; epoch: number }
  | { do: 'unpark' }
  | { do: 'promote'; epoch: number }
  | { do: 'removeImage' }
  | { do: 'removeLogs' }
  | { do: 'purge' };
