/** What somebody set at a container that svc never sets: everything that the engine can change but its limits. */
export interface Tuning {
  /** Such as `cpu shares 512`. */
  words: string;
  /** That nothing but another container undoes it: setting its limits does not. */
  lasting: boolean;
}
