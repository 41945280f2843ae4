/** The data of the upload page's script, as JSON in the page. */
export interface PageTicket {
  readonly status: string;
  /** null until the file is named. */
  readonly filename: string | null;
  readonly sizeBytes: number | null;
  readonly upload: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | null;
  readonly multipart: PageMultipart | null;
  readonly nameUrl: string;
}

export interface PageMultipart {
  readonly partSizeBytes: number;
  readonly partCount: number;
  /** {n} is replaced by the part number, counting from 1. */
  readonly partUrl: string;
  readonly completeUrl: string;
}
